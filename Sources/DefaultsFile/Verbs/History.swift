import Defaults
import DefaultsCommand
import Foundation

extension Verb {
  static let history = Verb(
    name: "history", options: [.json],
    summary: "print the changes that the journal has recorded, newest last",
    details: [
      "When the journal is large, a new journal replaces it and keeps only the latest changes, at",
      "most 1,000 and 64 KiB. The values of secrets aren't printed.",
    ]
  ) { place, invocation in
    let changes = try KnownChange.all(of: place) { Console.printError($0) }
    if invocation.has(.json) {
      return Console.printExactly(changes.map(\.json))
    }
    for change in changes {
      let time = change.time?.formatted(.iso8601) ?? "time unknown"
      let time20 = time.padding(toLength: 20, withPad: " ", startingAt: 0)
      let values =
        change.isSecret
        ? "(secret), changed" : "\(change.old.entry.shown) -> \(change.new.entry.shown)"
      let source = change.source.isEmpty ? "" : "  (\(change.source.joined(separator: ", ")))"
      Console.print("\(time20)  \(change.name): \(values)\(source)")
    }
  }
}

/// A recorded change of an entry.
struct KnownChange {
  let name: String
  let old: Edit
  let new: Edit
  /// nil if it is unknown.
  let time: Date?
  /// Whether a program has declared the name secret, so that the values must not be shown.
  let isSecret: Bool
  let program: String?
  let origin: String?

  /// The program and the origin, as far as they are known.
  var source: [String] { [program, origin].compactMap(\.self) }

  /// The JSON form. `time` is left out if it is unknown.
  var json: [String: PropertyListValue] {
    var json: [String: PropertyListValue] = ["name": .string(name)]
    if isSecret {
      json["secret"] = true
    } else {
      if let value = old.entry { json["old"] = value }
      if let value = new.entry { json["new"] = value }
      if old == .remove { json["added"] = true }
      if new == .remove { json["removed"] = true }
    }
    if let program { json["program"] = .string(program) }
    if let origin { json["origin"] = .string(origin) }
    if let time { json["time"] = .string(time.formatted(.iso8601)) }
    return json
  }

  /// Returns all recorded changes. `report` is called with the problems of the journal.
  static func all(
    of place: Place, _ report: (Defaults.SuiteError) -> Void = { _ in }
  ) throws -> [Self] {
    guard place.exists else {
      throw Defaults.CommandError("\(place.path): there are no settings here", status: 66)
    }
    let journal = try place.readJournal().file
    for raw in [RawFile(place.path, followingLinks: true), journal] {
      guard let problem = raw.problem else { continue }
      throw Defaults.CommandError("\(raw.path): it can't be read: \(problem)", status: 66)
    }
    var past = PastChanges()
    let log = LoadedLog(journal.bytes ?? [], path: place.journal) { past.add($0, $1) }
    switch log.start {
    case .later, .earlier:
      throw Defaults.CommandError(
        "\(place.journal): another version of the library wrote it", status: 65)
    case .damaged:
      throw Defaults.CommandError(
        "\(place.journal): its header is damaged; `recover` reads its entries", status: 65)
    case .sound, .unwritten:
      log.problems.forEach(report)
    }
    return past.all.map { Self($0, isSecret: past.isSecret($0)) }
  }

  private init(_ change: LogRecord.PastChange, isSecret: Bool) {
    self.isSecret = isSecret
    let source = change.source
    program = source.program.isEmpty ? nil : source.program
    origin = source.origin.isEmpty ? nil : source.origin
    (name, old, new) = (change.name, change.old, change.new)
    time =
      change.version == .zero
      ? nil : Date(timeIntervalSince1970: Double(change.version.microseconds) / 1e6)
  }
}
