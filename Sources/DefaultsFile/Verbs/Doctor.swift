import Defaults
import DefaultsCommand
import DefaultsText
import Foundation

extension Verb {
  static let doctor = Verb(
    name: "doctor",
    summary: "check the file and related files; the status is 1 if there are problems",
    details: [
      "Nothing is changed or locked. For each file, the output has the content, the damage, the",
      "processes that have the file open, and what is lost if the file is deleted.",
    ]
  ) { place, _ in
    var doctor = Doctor(place)
    try doctor.look()
    try doctor.report.end()
  }
}

/// Inspects the files of a suite.
private struct Doctor {
  private typealias Entries = [String: PropertyListValue]

  let place: Place
  var report = Report()
  /// The entries of the property list; nil if there are none.
  private var file: Entries?

  init(_ place: Place) { self.place = place }

  mutating func look() throws(SuiteError) {
    let main = RawFile(place.path)
    let (journal, log) = try place.readJournal()
    guard main.status != nil || journal.status != nil else {
      report.tell("file", "\(place.path): there are no settings here", isProblem: true)
      return lookAround()
    }
    lookAtFile(main, log)
    lookAtJournal(journal, log, main)
    lookAround()
    lookForHolders()
  }

  private mutating func lookAtFile(_ main: RawFile, _ log: LoadedLog) {
    guard main.status != nil else {
      report.tell(
        "file",
        "\(place.path): it doesn't exist; "
          + (Self.isDeletion(log)
            ? "a program that opens it removes the settings that it had"
            : "a program that opens it reads all settings from the journal"))
      return
    }
    guard let bytes = report.describe("file", main) else { return }
    do {
      let (entries, form) = try Self.content(of: Data(bytes), isJSON: place.isJSON)
      file = entries
      report.tell("file", "it holds \(Report.count(entries.count, "entry")) as \(form)")
      report.tell("file", "deleting it removes all settings")
    } catch {
      let next =
        place.isJSON
        ? "programs can't open it until it is corrected"
        : log.isComplete
          ? "a program that opens it reads all settings from the journal"
          : "a program that opens it starts with the readable part of the journal"
      report.tell(
        "file", "it is damaged: \(error.description(in: Data(bytes))); \(next)", isProblem: true)
      report.tell(
        "file",
        Self.isDeletion(log) || place.isJSON
          ? "deleting it removes the settings that it had, also from the journal"
          : "deleting it loses the entries that `recover` can still read")
    }
  }

  /// Returns whether programs remove the settings that a missing property list had.
  private static func isDeletion(_ log: LoadedLog) -> Bool {
    log.isComplete && log.entries(with: nil) != log.fold.values
  }

  private static func content(
    of data: Data, isJSON: Bool
  ) throws(ConversionError) -> (Entries, form: String) {
    if isJSON { return (try Defaults.JSONCDocument.entries(in: data), "JSON") }
    let (entries, format) = try Defaults.PropertyListFormat.decode(data)
    return (entries, format == .xml ? "XML" : "a binary property list")
  }

  private mutating func lookAtJournal(_ journal: RawFile, _ log: LoadedLog, _ main: RawFile) {
    guard report.describe("journal", journal) != nil else { return }
    switch log.start {
    case .unwritten:
      report.tell("journal", "it is empty; deleting it loses nothing")
      return
    case .later, .earlier:
      report.tell("journal", "another version of the library wrote it", isProblem: true)
      return
    case .damaged:
      report.tell(
        "journal",
        "its header is damaged, so programs ignore it; deleting it loses the entries that "
          + "`recover` can still read", isProblem: true)
      return
    case .sound: break
    }
    for range in log.skipped {
      report.tell(
        "journal",
        "it is damaged in bytes \(range.lowerBound)..<\(range.upperBound); the changes there are "
          + "lost; all other changes are intact", isProblem: true)
    }
    if log.hasTail {
      report.tell(
        "journal",
        log.hasLaterRecords
          ? "it is damaged from byte \(log.end) on; later changes are ignored"
          : "its last record, from byte \(log.end) on, is incomplete and ignored",
        isProblem: log.hasLaterRecords)
    }
    guard log.isComplete else {
      report.tell(
        "journal",
        "its checkpoint is damaged, so only newer entries are used; deleting it loses the "
          + "entries that `recover` can still read", isProblem: true)
      return
    }
    let content = file.flatMap { content -> (Entries, Data, FileVersion)? in
      guard let status = main.status, let bytes = main.bytes else { return nil }
      return (content, Data(bytes), status.version)
    }
    // A damaged file doesn't count as deleted.
    let isDamaged = main.status != nil && content == nil
    let entries = isDamaged ? log.fold.values : log.entries(with: content)
    let inFile = file ?? [:]
    // The library's own entries count, too.
    let pending = Set(entries.keys).union(inFile.keys).count { entries[$0] != inFile[$0] }
    report.tell(
      "journal",
      "it holds \(Report.count(log.fold.values.count, "entry")) in "
        + "\(Report.count(log.recordCount, "record")); deleting it loses "
        + (pending == 0
          ? "only the history, since the file has these entries"
          : "the latest changes of \(Report.count(pending, "entry")), which "
            + "the file doesn't have yet"))
  }

  /// Inspects other files with names that the library creates.
  private mutating func lookAround() {
    for name in (try? place.file.quarantineNames()) ?? [] {
      let raw = RawFile(place.sibling(named: name))
      guard let bytes = report.describe("quarantined", raw) else { continue }
      let found = bytes.count <= RawFile.limitOfDamaged ? Salvage.read(bytes) : nil
      report.tell(
        "quarantined",
        "a damaged file is kept under this name; `recover` reads "
          + "\(Report.count(found?.entries.count ?? 0, "entry")) of it; "
          + "deleting the file loses them")
    }
    for name in SuiteFiles(place.file).temporaries.sorted() {
      let raw = RawFile(place.sibling(named: name))
      // A process that was writing it has ended its work.
      if raw.status == nil, raw.problem == nil { continue }
      _ = report.describe("leftover", raw)
      let holders = FileHolders(of: [raw.path])
      if let holder = holders.others.first {
        report.tell("leftover", "\(holder) is writing it")
      } else {
        report.tell(
          "leftover",
          "probably left by a process that has ended; the next program that saves the settings "
            + "removes it, or restores an edit in it", isProblem: true)
      }
    }
    if let status = try? machineFileSystem.status(of: place.file.folder) {
      if status.mode & 0o002 != 0 {
        report.tell(
          "folder",
          "\(place.file.folder): other users may write to it, so they can add files"
            + (status.mode & 0o1000 == 0 ? ", or replace the settings" : ""),
          isProblem: status.mode & 0o1000 == 0)
      }
      if let type = FileSystemType.network(at: place.file.folder) {
        report.tell(
          "folder",
          "\(place.file.folder): it is on a network file system (\(type)), where locks and change "
            + "notifications aren't reliable", isProblem: true)
      }
    }
  }

  private mutating func lookForHolders() {
    let holders = FileHolders(of: [place.path, place.journal])
    for holder in holders.others { report.tell("open", "by \(holder)") }
    if holders.hiddenCount > 0 {
      let count = Report.count(holders.hiddenCount, "process")
      report.tell(
        "open",
        "\(count == "1 process" ? count : "\(holders.hiddenCount) processes")"
          + " of other users can't be inspected")
    }
  }
}
