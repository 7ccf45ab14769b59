"""Mutations that no test can detect, each with the reason."""

# (end of the file's path, operator or None for any, part of the code before the mutation, the
# beginning of the code after it, reason)
EXPLAINED = [
  # Files
  ("LocalFile.swift", "off by one", "1", "1 + 1",
   "the maximum number of bytes of one call: all bytes are written in any case"),
  ("PropertyListFormat.swift", "swap", "try validate(name: key)", "",
   "two checks: either order rejects the same entries"),
  ("FileReplacement.swift", "swap", "try requireOwn(status, .unwritable)", "",
   "two checks: either order rejects the same files"),
  ("FolderWatcher.swift", "swap", "usleep(pause)", "", "only the length of the first pause"),
  ("LocalFile.swift", "return early", "statx", "return nil",
   "without `statx`, the calls of older systems give the same result"),
  ("FileLocation.swift", "negate", "capacity <= 1 << 20", "true",
   "only ends a loop with a growing buffer if the system never returns an error"),
  # Journal
  ("LogRoom.swift", "drop", "padded.deallocate()", "",
   "a leak, which the leak sanitizer finds"),
  ("LogDurability.swift", "negate", "false", "!false",
   "the initial value, which is set again when the journal is opened"),
  # Suites
  ("PropertyListSuite.swift", "swap", "state.storages = inUse", "",
   "only the time at which released storages are removed, which affects memory"),
  ("OpenFiles.swift", "off by one", "0", "",
   "a race: one thread is about to use an entry while another one removes old entries"),
  ("FileStore+Export.swift", "swap", "table.release()", "",
   "neither statement reads values that the other one changes"),
  ("FileStore+Commit.swift", "drop", "state.turn = nil", "",
   "no code reads the turn between commits, and the next commit sets its own"),
  ("FileStore+Watching.swift", "drop", "lookIfOverdue", "",
   "a race: changes that arrive in the microseconds between a commit's check and its end"),
  ("ProgramStorage.swift", "swap", "storage.isOfProgram.store", "",
   "two flags of a storage that no other thread has yet"),
  ("ProgramStorage.swift", "negate", "mayBeReplaced.load", "true ||",
   "an unnecessary check for a scope in reads, which only takes time"),
  ("GroupCommit.swift", "off by one", "100", "",
   "the number of attempts for a lock: a tenth of a second, or a millisecond more"),
  ("Issue.swift", "negate", "true", "",
   "a shortcut: without a report there is nothing to remove"),
  ("EntryTable.swift", "swap", "advance() ; support.reporter", "",
   "under one lock, and neither statement reads values that the other one changes"),
  ("SuiteSupport+Observers.swift", "drop", "withExtendedLifetime(remains)", "",
   "they were returned from the lock, and so are released outside of it in any case"),
  ("SuiteSupport.swift", "swap", "$0.remains.append(object)", "",
   "a race: a delivery between the two leaves the object to the next delivery"),
  ("Cell.swift", "off by one", "1", "1 + 1",
   "the increment of a generation: generations are only compared by equality and order"),
  # Keys
  ("Key.swift", "negate", "known.generation != 0", "",
   "a shortcut: an unknown value is looked up in the other way, with the same result"),
  ("KeyEntry.swift", "off by one", "1", "", "the timeout of a read: one second, or two"),
  ("KeyEntry.swift", "off by one", "100", "",
   "the number of attempts for a lock: a tenth of a second, or a millisecond more"),
  ("KeyEntry.swift", "swap", "draft.write(edit, named: name)", "",
   "two entries: the previous names of a key never include its own"),
  ("BulkAccess.swift", "swap", "try draft.setEntry(value, named: name)", "",
   "if an entry is rejected, the names and all other changes are rolled back"),
  ("Key.swift", "off by one", "0", "",
   "a cell that never changed: decoding it at each read only takes time"),
  ("DecodedSlot.swift", "swap", "highBits.store(bits.high", "",
   "a race of nanoseconds, which 2,000 rounds with three readers rarely meet"),
  ("DecodedSlot.swift", "off by one", "0", "0 + 1",
   "bits beyond the size of the value, which no code reads"),
  # Observation
  ("SuiteSupport+Observers.swift", "swap", "observer.end()", "",
   "each of the two statements alone prevents further calls of the handler"),
  ("Observation.swift", "off by one", "1", "1 + 1", "any unused bit is correct"),
  ("Tracking.swift", None, "()", "", "a value that stands for a setting; never read"),
  ("Tracking.swift", "negate", "isBound", "false &&",
   "a shortcut: looking up the tracker of the key's cell returns the same one"),
  ("Updates.swift", "drop", "break", "", "the only statement of a case without work"),
  # Codings
  ("StructureEncoder+Containers.swift", "off by one", "0", "",
   "the count of a container replaced by another kind, whose error has no index"),
  ("StructureShapes.swift", "negate", "false", "",
   "only matters in a keyed container, which a set doesn't request"),
  ("ExactText.swift", "off by one", "12", "",
   "a thirteenth month has no days, and so is rejected two lines below"),
  # Transfer
  ("ImportReport.swift", "off by one", "$0.0 < $1.0", "",
   "sorts names, no two of which are equal"),
  ("/Import.swift", "swap", "try draft.setEntry(value, named: name)", "",
   "two entries: the previous names of a key never include its own, and an error undoes both"),
  ("/Import.swift", "swap", "draft.removeEntry(named: name)", "",
   "two entries: the previous names of a key never include its own"),
  ("/Import.swift", "swap", "removePreviousEntries(in: &draft) ; report", "",
   "the draft and the report are independent of each other"),
  # Formats
  ("JSONFormat.swift", "return early", "for … { … }", "",
   "the loop only throws, so no code runs after it"),
  # Migration
  ("Migration.swift", "off by one", "left.number < right.number", "",
   "versions are only compared if they differ"),
  ("Migration.swift", "off by one", "ours < imported", "",
   "equal versions have returned one line above"),
  ("Migration.swift", "off by one", "present < version", "",
   "a current suite: a transaction without a step, which changes nothing"),
]


def explanation(site):
  """The reason why no test can detect a mutation; None if a test should."""
  for path, operator, before, after, reason in EXPLAINED:
    if site.path.endswith(path) and operator in (None, site.operator):
      # Short code, such as a literal, must match exactly, longer code partially.
      is_named = site.before == before if len(before) < 5 else before in site.before
      if is_named and site.after.startswith(after):
        return reason
  return None
