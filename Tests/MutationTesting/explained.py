"""Mutations that no test can detect, each with the reason."""

INDEPENDENT = "neither statement reads values that the other one changes"
TIMER = "a shortcut: the timer that is armed is early enough in any case"

# (end of the file's path, operator or None for any, part of the code before the mutation or, after
# "line: ", part of its line, the beginning of the code after the mutation, reason)
EXPLAINED = [
  # Files
  ("LocalFile.swift", "off by one", "1", "1 + 1",
   "the maximum number of bytes of one call: all bytes are written in any case"),
  ("PropertyListFormat.swift", "swap", "try validate(name: key)", "",
   "two checks: either order rejects the same entries"),
  ("FileReplacement.swift", "swap", "try requireOwn(status, .unwritable)", "",
   "two checks: either order rejects the same files"),
  ("WatchedPath.swift", "swap", "changed() ; poll()", "",
   "the next poll begins after its interval in either case"),
  # Journal
  ("PastChanges.swift", "swap", "try log.checkVersion", "",
   "if the version is wrong, the value with the secrets isn't returned"),
  ("FileStore+Flush.swift", "off by one", "100", "100 + 1", "the number of attempts"),
  ("FileStore+Watching.swift", "swap", "followRoutes()", "",
   "if following the routes already checks the file, that check is made again"),
  ("FileState+Merging.swift", "swap", "synchronizeContent() ; try files.synchronizeFolder", "",
   "both are synced before anything depends on them"),
  ("FileStore+Opening.swift", "swap", "$0.sweepTemporaries()", "",
   "removing leftovers and watching are independent of each other"),
  ("LogRoom.swift", "drop", "padded.deallocate()", "",
   "a leak, which the leak sanitizer finds"),
  ("LogDurability.swift", "negate", "false", "!false",
   "the initial value, which is set again when the journal is opened"),
  ("LogState.swift", "swap", "new.horizon.discarded = max", "", INDEPENDENT),
  ("FileState+Merging.swift", "swallow", "try append(.mergeBegan", "",
   "without its beginning, the merge doesn't count, and the next check merges again"),
  ("LogState+Bases.swift", "off by one", "line: bases.map(\\.id).max()", "",
   "the id of a file that doesn't exist"),
  ("LogRecord.swift", "off by one", "0", "",
   "the offset before which a log is durable: 0 and 1 are both in the header"),
  ("FileState+Publishing.swift", "swap", "table.share(fold.entries.present)", "", INDEPENDENT),
  ("LogState+Bases.swift", "swap", "names.formUnion(base.changed.keys)", "", "a union of sets"),
  ("FileState+Sweeping.swift", "swallow", "try files.removeName(found.path)", "",
   "the last statement of a body whose errors are ignored"),
  ("FileState+Commit.swift", "drop", "try foldRecords(upTo: ", "",
   "the records are folded under the lock instead, which only takes time there"),
  ("FileState+Recovery.swift", "swap", "durability.doubt()", "", INDEPENDENT),
  ("FileStore+Routes.swift", "swap", "state.leaveForAnother", "", INDEPENDENT),
  ("FileState+Publishing.swift", "swap", "fileHealth.end()", "", INDEPENDENT),
  ("FileState+Merging.swift", "off by one", "MonotonicClock.now >=", "",
   "a deadline: a nanosecond more"),
  ("FileStore+Opening.swift", "off by one", "100", "100 + 1",
   "the number of attempts for a lock: a tenth of a second, or a millisecond more"),
  ("NewLog.swift", "off by one", "line: (records.startIndex, 0)", "0 + 1",
   "the initial value, which is set again before it is read"),
  ("ByteReader.swift", "off by one", "line: return count == 0", "",
   "the bytes of an empty text have an address, so this isn't reached"),
  ("LogEntries.swift", "off by one", "16_384", "",
   "the number of stamps that are kept apart, which only takes time"),
  ("LogEntries.swift", "off by one", "1", "1 + 1",
   "the number of stamps that are searched, which only takes time"),
  ("LoadedLog.swift", "swap", "fold.applySuperseded", "", INDEPENDENT),
  ("LogDurability.swift", "off by one", "0", "",
   "the offset before which a log is durable: 0 and 1 are both in the header"),
  ("FileState+Recovery.swift", "swap", "try loaded.checkVersion", "",
   "after an error, the log is opened again at its path, with the same result"),
  ("FileState+Recovery.swift", "swap", "log = loaded.isSound ? ", "", INDEPENDENT),
  ("LoadedLog.swift", "swap", "skipped.append(end..<next)", "", INDEPENDENT),
  ("FileStore+Watching.swift", "swap", "(fold, log, isFromLog", "", INDEPENDENT),
  ("FileState+Folding.swift", "off by one", "line: 16 * length", "",
   "the number of bytes of the next reading, which only takes time"),
  ("FileState+Folding.swift", "negate", "log.offset < size", "true ||",
   "a shortcut: a reading behind the end has no bytes, which ends the loop, too"),
  ("FileStore+Commit.swift", "off by one", "MonotonicClock.now >=", "",
   "a deadline: a nanosecond more"),
  ("FileStore+Commit.swift", "drop", "attempts += 1", "",
   "the pauses between attempts stay short, which only takes time"),
  ("ByteWriter.swift", "negate", "count > 1 << 20", "",
   "the memory of a buffer, which no test measures"),
  ("FileState+Folding.swift", "off by one", "line: let start = log?.offset", "",
   "without a log, nothing is folded"),
  ("FileStore+Export.swift", "swap", "try plan.replacement.write", "",
   "an edit during the write is also found when the file is placed"),
  ("FileStore+Routes.swift", "swap", "state.durability = LogDurability()", "", INDEPENDENT),
  ("FileStore+Opening.swift", "swap", "hasTriedSweep.withLock", "",
   "the issues of the sweep are reported by the next delivery instead"),
  ("FileStore+Watching.swift", "swap", "foldNews()", "", INDEPENDENT),
  ("FileStore+Watching.swift", "off by one", "1", "1 + 1",
   "the number of attempts for a lock: one, or another one a millisecond later"),
  ("FileStore.swift", "off by one", "1", "1 + 1",
   "the number of attempts for a lock: one, or another one a millisecond later"),
  ("FileState+Commit.swift", "off by one", "record.limit", "", "the log's limit: a byte less"),
  ("StoredFile+Reading.swift", "swap", "_ = rest.wait", "",
   "of 20 reads in pauses, one more or less"),
  ("FileState+Publishing.swift", "swap", "fileHealth.count(failure)", "", INDEPENDENT),
  ("ExportSchedule.swift", "off by one", "Reason.ownChange.rawValue", "", TIMER),
  ("ExportSchedule.swift", "return early", "Reason.ownChange.rawValue", "return false", TIMER),
  ("ExportSchedule.swift", "negate", "exports.schedule.isArmedForOwnChange", "false &&", TIMER),
  ("ExportSchedule.swift", "negate", "log?.isUrgent != true", "false &&", TIMER),
  # Suites
  ("OpenFiles.swift", "off by one", "0", "",
   "a race: one thread is about to use an entry while another one removes old entries"),
  ("ProgramStorage.swift", "swap", "storage.isOfProgram.store", "",
   "two flags of a storage that no other thread has yet"),
  ("ProgramStorage.swift", "negate", "mayBeReplaced.load", "true ||",
   "an unnecessary check for a scope in reads, which only takes time"),
  ("GroupCommit.swift", "off by one", "100", "",
   "the number of attempts for a lock: a tenth of a second, or a millisecond more"),
  ("Issue.swift", "negate", "true", "",
   "a shortcut: without a report there is nothing to remove"),
  ("Cell.swift", "off by one", "1", "1 + 1",
   "the increment of a generation: generations are only compared by equality and order"),
  # Keys
  ("Mistakes.swift", "return early", "fatalError()", "",
   "the body of a declaration that no code can use, since it is unavailable"),
  ("Key+Reading.swift", "negate", "known.generation != 0", "",
   "a shortcut: an unknown value is looked up in the other way, with the same result"),
  ("Key+Reading.swift", "off by one", "1", "", "the timeout of a read: one second, or two"),
  ("Key+Reading.swift", "off by one", "100", "",
   "the number of attempts for a lock: a tenth of a second, or a millisecond more"),
  ("KeyEntry.swift", "swap", "draft.write(edit, named: name)", "",
   "two entries: the previous names of a key never include its own"),
  ("BulkAccess.swift", "swap", "try draft.setEntry(value, named: name)", "",
   "if an entry is rejected, the names and all other changes are rolled back"),
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
  ("StoredSuiteView.swift", "swap", "storage.persistence.listen()", "",
   "changes that arrive between the two have been folded or are folded by the watch"),
  # Codings
  ("StructureEncoder+Containers.swift", "off by one", "0", "",
   "the count of a container replaced by another kind, whose error has no index"),
  # Transfer
  ("ArrivingEntries.swift", "swap", "try draft.setEntry(value, named: name)", "",
   "two entries: the previous names of a key never include its own, and an error undoes both"),
  ("ArrivingEntries.swift", "swap", "draft.removeEntry(named: name)", "",
   "two entries: the previous names of a key never include its own"),
  ("ArrivingEntries.swift", "swap", "removePreviousEntries(in: &draft) ; report", "",
   "the draft and the report are independent of each other"),
  ("ArrivingEntries.swift", "off by one", "ours < imported", "",
   "equal versions have returned above"),
  # Formats
  ("JSONFormat.swift", "return early", "for … { … }", "",
   "the loop only throws, so no code runs after it"),
  # Migration
  ("MigrationPlan.swift", "off by one", "present < version", "",
   "a current suite: a transaction without a step, which changes nothing"),
]


def fits(entry, site):
  path, operator, before, after, _ = entry
  if not site.path.endswith(path) or operator not in (None, site.operator):
    return False
  if before.startswith("line: "):
    is_named = before[len("line: "):] in site.line_text
  else:
    # Short code, such as a literal, must match exactly, longer code partially.
    is_named = site.before == before if len(before) < 5 else before in site.before
  return is_named and site.after.startswith(after)


def explanation(site):
  """The reason why no test can detect a mutation; None if a test should."""
  return next((entry[-1] for entry in EXPLAINED if fits(entry, site)), None)
