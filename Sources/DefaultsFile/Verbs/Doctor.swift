import Defaults
import DefaultsCommand
import Foundation

extension Verb {
  static let doctor = Verb(
    name: "doctor",
    summary: "look at the file and what lies beside it; the status is 1 if something is wrong",
    details: [
      "Nothing is changed, repaired, locked or waited for. It says what each file holds, what is",
      "damaged where, who has it open, and what would be lost by deleting it.",
    ]
  ) { place, _ in
    var doctor = Doctor(place)
    doctor.look()
    let problems = doctor.findings.problems
    if problems > 0 {
      throw Defaults.CommandError(
        problems == 1 ? "1 thing is wrong" : "\(problems) things are wrong", status: 1)
    }
    Console.print("  Nothing is wrong.")
  }
}

/// Looks at the files of a suite.
private struct Doctor {
  private typealias Entries = [String: PropertyListValue]

  let place: Place
  var findings = Findings()
  /// What the file says, and the one before; nil where they say nothing.
  private var file: Entries?
  private var backup: Entries?

  init(_ place: Place) { self.place = place }

  mutating func look() {
    let main = RawFile(place.path)
    let journal = RawFile(place.journal)
    let previous = RawFile(place.backup)
    guard main.status != nil || journal.status != nil || previous.status != nil else {
      findings.tell("file", "\(place.path): there are no settings here", isProblem: true)
      return lookAround()
    }
    backup = entries(in: previous.bytes)
    lookAtFile(main)
    lookAtJournal(journal, main.status)
    lookAtBackup(previous)
    lookAround()
    lookForHolders()
  }

  private func entries(in bytes: [UInt8]?) -> Entries? {
    bytes.flatMap { try? Defaults.PropertyListFormat.decode(Data($0)).entries }
  }

  private mutating func lookAtFile(_ main: RawFile) {
    guard main.status != nil else {
      findings.tell("file", "\(place.path): it isn't there; what counts is in the journal")
      return
    }
    guard let bytes = findings.describe("file", main) else { return }
    do {
      let (entries, format) = try Defaults.PropertyListFormat.decode(Data(bytes))
      file = entries
      findings.tell(
        "file",
        "it holds \(Findings.count(entries.count, "entry")) as "
          + (format == .xml ? "XML" : "a binary property list"))
      findings.tell("file", "deleting it loses them, but for those that the journal has")
    } catch {
      let next =
        backup == nil
        ? "a program that opens it starts with what the journal has"
        : "a program that opens it starts with the backup and the journal"
      findings.tell(
        "file", "it is damaged: \(error.description(in: Data(bytes))); \(next)", isProblem: true)
      findings.tell("file", "deleting it loses what `recover` can still read of it")
    }
  }

  private mutating func lookAtJournal(_ journal: RawFile, _ status: FileStatus?) {
    guard let bytes = findings.describe("journal", journal) else { return }
    let contents = JournalContents(bytes)
    switch contents.start {
    case .unwritten:
      findings.tell("journal", "it is empty; deleting it loses nothing")
      return
    case .newer:
      findings.tell(
        "journal", "a newer version of the library wrote it, and this one can't read all of it",
        isProblem: true)
    case .damaged:
      findings.tell(
        "journal",
        "its header is damaged, so nothing in it counts; deleting it loses what "
          + "`recover` can still read of it", isProblem: true)
      return
    case .sound: break
    }
    for range in contents.skipped {
      findings.tell(
        "journal",
        "it is damaged in bytes \(range.lowerBound)..<\(range.upperBound); the changes there are "
          + "lost, all others count", isProblem: true)
    }
    if contents.hasTail {
      findings.tell(
        "journal",
        contents.hasLaterRecords
          ? "it is damaged from byte \(contents.end) on; changes after that don't count"
          : "its last record, from byte \(contents.end) on, isn't whole and doesn't count",
        isProblem: contents.hasLaterRecords)
    }
    let before = file ?? backup ?? [:]
    let pending = Differences(
      from: before, to: contents.entries(over: before, file == nil ? nil : status),
      removesOthers: true)
    findings.tell(
      "journal",
      "it holds \(Findings.count(contents.records.count, "record")); deleting it loses "
        + (pending.isEmpty
          ? "nothing, for the file has all of it"
          : "the latest of \(Findings.count(pending.changes.count, "entry")), which the file "
            + "doesn't have yet"))
  }

  private mutating func lookAtBackup(_ previous: RawFile) {
    guard let bytes = findings.describe("backup", previous) else { return }
    if let backup {
      findings.tell(
        "backup",
        "it holds \(Findings.count(backup.count, "entry")); deleting it loses "
          + (file == nil ? "them: the file doesn't have them" : "the way back to them"))
    } else {
      let reason =
        (try? Defaults.PropertyListFormat.decode(Data(bytes))) == nil ? "damaged" : "not read"
      findings.tell("backup", "it is \(reason); deleting it loses nothing", isProblem: true)
    }
  }

  /// What else has a name that the library gives.
  private mutating func lookAround() {
    for name in (try? place.file.quarantineNames()) ?? [] {
      let raw = RawFile(place.sibling(named: name))
      guard let bytes = findings.describe("set aside", raw) else { continue }
      let found = bytes.count <= RawFile.limitOfDamaged ? Salvage.read(bytes) : nil
      findings.tell(
        "set aside",
        "a damaged file was kept under this name; `recover` reads "
          + "\(Findings.count(found?.entries.count ?? 0, "entry")) of it, which deleting it loses")
    }
    for name in place.file.temporaries.sorted() {
      let raw = RawFile(place.sibling(named: name))
      _ = findings.describe("leftover", raw)
      let holders = FileHolders(of: [raw.path]).others
      if let holder = holders.first {
        findings.tell("leftover", "\(holder) is writing it")
      } else {
        findings.tell(
          "leftover", "a process that ended left it; deleting it loses nothing", isProblem: true)
      }
    }
    if let status = try? Defaults.localFileSystem.status(of: place.file.folder) {
      if status.mode & 0o002 != 0 {
        findings.tell(
          "folder",
          "\(place.file.folder): others may write it, and so put files beside the settings"
            + (status.mode & 0o1000 == 0 ? ", or replace them" : ""),
          isProblem: status.mode & 0o1000 == 0)
      }
      if let type = FileSystemType.network(at: place.file.folder) {
        findings.tell(
          "folder",
          "\(place.file.folder): it is on a network file system (\(type)), where locks and notices "
            + "of changes can't be trusted", isProblem: true)
      }
    }
  }

  private mutating func lookForHolders() {
    let holders = FileHolders(of: [place.path, place.journal])
    for holder in holders.others { findings.tell("open", "by \(holder)") }
    if holders.hiddenCount > 0 {
      let count = Findings.count(holders.hiddenCount, "process")
      findings.tell(
        "open",
        "of \(count == "1 process" ? count : "\(holders.hiddenCount) processes")"
          + ", which are others', it can't be known")
    }
  }
}
