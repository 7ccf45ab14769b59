"""Mutations that no test can see, each with the reason."""

# (end of the file's path, operator or None for any, part of the code before the mutation, the
# beginning of the code after it, reason)
EXPLAINED = [
  # Files
  ("LocalFile.swift", "off by one", "1", "1 + 1",
   "the most bytes of one call, on which Linux has a limit of its own: 1 GiB or 2, all is written"),
  ("PropertyListFormat.swift", "swap", "try validate(name: key)", "",
   "two checks: either order refuses the same entries"),
  ("FileReplacement.swift", "swap", "try requireOwn(status, .unwritable)", "",
   "two checks: either order refuses the same files"),
  ("FolderWatcher.swift", "swap", "usleep(pause)", "", "how long the first pause is"),
  ("LocalFile.swift", "return early", "statx", "return nil",
   "without `statx` the same is found out by the calls of older systems"),
  ("FileLocation.swift", "negate", "capacity <= 1 << 20", "true",
   "ends a loop that asks again with more room, should the system never say what is wrong"),
  # Journal
  ("LogRoom.swift", "drop", "padded.deallocate()", "",
   "a leak, which is the leak sanitizer's to find"),
  ("LogDurability.swift", "negate", "false", "!false",
   "what it begins with, before the journal is opened, which says anew that nothing is known"),
  # Suites
  ("PropertyListSuite.swift", "swap", "state.storages = inUse", "",
   "when those that are gone are forgotten next: memory alone"),
  ("OpenFiles.swift", "off by one", "0", "",
   "an entry that one thread is about to use in the instant in which old ones are forgotten: a race"),
  ("FileStore+Export.swift", "swap", "table.release()", "",
   "neither statement reads what the other one changes"),
  ("FileStore+Commit.swift", "drop", "state.turn = nil", "",
   "between commits nobody asks for the turn, and the next one begins with its own"),
  ("FileStore+Watching.swift", "drop", "lookIfOverdue", "",
   "news that come in the microseconds between a commit's look and its end: a race"),
  ("ProgramStorage.swift", "swap", "storage.isOfProgram.store", "",
   "two marks of a storage that nobody else has yet"),
  ("ProgramStorage.swift", "negate", "mayBeReplaced.load", "true ||",
   "cells that are distrusted without need: a read looks for a scope, which takes time alone"),
  ("GroupCommit.swift", "off by one", "100", "",
   "how often a lock is tried: a tenth of a second, or a millisecond more"),
  ("Issue.swift", "negate", "true", "",
   "a short cut: where nothing was reported there is nothing to forget"),
  ("EntryTable.swift", "swap", "advance() ; support.reporter", "",
   "under one lock, and neither statement reads what the other one changes"),
  ("SuiteSupport+Observers.swift", "drop", "withExtendedLifetime(remains)", "",
   "they have left the lock with what it returned, and so go outside of it in any case"),
  ("SuiteSupport.swift", "swap", "$0.remains.append(object)", "",
   "a race: somebody who delivers between the two leaves the object to the next delivery"),
  ("Cell.swift", "off by one", "1", "1 + 1",
   "how much a generation rises: generations are compared for being equal, or later, alone"),
  # Keys
  ("Key.swift", "negate", "known.generation != 0", "",
   "a short cut: what isn't known yet is looked up in the other way, with the same result"),
  ("KeyEntry.swift", "off by one", "1", "", "how long a read waits: a second, or two"),
  ("KeyEntry.swift", "off by one", "100", "",
   "how often a lock is tried: a tenth of a second, or a millisecond more"),
  ("KeyEntry.swift", "swap", "draft.write(edit, named: name)", "",
   "two entries: the previous names of a key never include its own"),
  ("BulkAccess.swift", "swap", "try draft.setEntry(value, named: name)", "",
   "the names go, with all that was set, where an entry is refused"),
  ("Key.swift", "off by one", "0", "",
   "a cell that never changed: its value is decoded at each read, which takes time alone"),
  ("DecodedSlot.swift", "swap", "highBits.store(bits.high", "",
   "a race of nanoseconds: 2,000 rounds beside three readers meet it now and then only"),
  ("DecodedSlot.swift", "off by one", "0", "0 + 1",
   "bits that a value doesn't have, which nobody reads"),
  # Observation
  ("SuiteSupport+Observers.swift", "swap", "observer.end()", "",
   "each of the two alone keeps the handler from being called again"),
  ("Observation.swift", "off by one", "1", "1 + 1", "a bit nobody else has: any will do"),
  ("Tracking.swift", None, "()", "", "a value that stands for a setting; never read"),
  ("Tracking.swift", "negate", "isBound", "false &&",
   "a short cut: the tracker of the key's cell is looked up, and is the same one"),
  ("Updates.swift", "drop", "break", "", "the whole of a case in which there is nothing to do"),
  # Codings
  ("StructureEncoder+Containers.swift", "off by one", "0", "",
   "the count of a container that another kind has replaced, whose error has no index"),
  ("StructureShapes.swift", "negate", "false", "",
   "a set asks for no container with names, and only there it would count"),
  ("ExactText.swift", "off by one", "12", "",
   "a thirteenth month has no days, and so is refused two lines below"),
  # Transfer
  ("ImportReport.swift", "off by one", "$0.0 < $1.0", "",
   "sorts names, no two of which are equal"),
  ("/Import.swift", "swap", "try draft.setEntry(value, named: name)", "",
   "two entries, the previous names of a key never include its own; an error undoes both"),
  ("/Import.swift", "swap", "draft.removeEntry(named: name)", "",
   "two entries: the previous names of a key never include its own"),
  ("/Import.swift", "swap", "removePreviousEntries(in: &draft) ; report", "",
   "the draft and the report know nothing of each other"),
  # Formats
  ("JSONFormat.swift", "return early", "for … { … }", "",
   "what the loop does is to throw, and so nothing comes after it"),
  # Migration
  ("Migration.swift", "off by one", "left.number < right.number", "",
   "versions are compared where they differ, and nowhere else"),
  ("Migration.swift", "off by one", "ours < theirs", "",
   "equal versions have returned one line above"),
  ("Migration.swift", "off by one", "present < version", "",
   "a suite that is up to date: a transaction without a step, which changes nothing"),
]


def explanation(site):
  """Why no test can see a mutation; None if one should."""
  for path, operator, before, after, reason in EXPLAINED:
    if site.path.endswith(path) and operator in (None, site.operator):
      # A literal is named as a whole, longer code by a part of it.
      is_named = site.before == before if len(before) < 5 else before in site.before
      if is_named and site.after.startswith(after):
        return reason
  return None
