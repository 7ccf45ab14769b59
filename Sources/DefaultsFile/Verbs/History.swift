import Defaults
import DefaultsCommand
import Foundation

extension Verb {
  static let history = Verb(
    name: "history", options: [.json],
    summary: "print the changes that journal and backup still know, the newest last",
    details: [
      "The file is written anew some seconds after a change, with a new journal: of changes before",
      "that, only what the previous file had is known, and not when they were made.",
    ]
  ) { place, invocation in
    let changes = try KnownChange.all(of: place)
    if invocation.has(.json) {
      let lines = changes.map { Defaults.jsonText(of: .dictionary($0.json)) }
      let text = lines.isEmpty ? "[]\n" : "[\n  \(lines.joined(separator: ",\n  "))\n]\n"
      return Console.printExactly(text)
    }
    for change in changes {
      let time = change.time?.formatted(.iso8601) ?? "time unknown"
      let old = change.old.map { $0.entry.shown } ?? "(unknown)"
      let time20 = time.padding(toLength: 20, withPad: " ", startingAt: 0)
      Console.print("\(time20)  \(change.name): \(old) -> \(change.new.entry.shown)")
    }
  }
}

/// A change of an entry that was made once.
struct KnownChange {
  let name: String
  /// nil if it isn't known.
  let old: Edit?
  let new: Edit
  /// nil if it isn't known.
  let time: Date?

  /// What is JSON of it: names that aren't there aren't known, and `null` can't be said.
  var json: [String: PropertyListValue] {
    var json: [String: PropertyListValue] = ["name": .string(name)]
    if let value = old?.entry { json["old"] = value }
    if let value = new.entry { json["new"] = value }
    if old == .remove { json["added"] = true }
    if new == .remove { json["removed"] = true }
    if let time { json["time"] = .string(time.formatted(.iso8601)) }
    return json
  }

  static func all(of place: Place) throws -> [Self] {
    guard place.exists else {
      throw Defaults.CommandError("\(place.path): there are no settings here", status: 66)
    }
    let journal = RawFile(place.journal)
    for raw in [RawFile(place.path, followingLinks: true), journal] {
      guard let problem = raw.problem else { continue }
      throw Defaults.CommandError("\(raw.path): it can't be read: \(problem)", status: 66)
    }
    let contents = JournalContents(journal.bytes ?? [])
    var changes: [Self] = []
    var known: [String: Edit] = [:]
    var earlier: Set<String> = []
    let clock = MarkClock(journal: contents)
    for change in filed(contents.records) {
      earlier.insert(change.name)
      known[change.name] = change.new
      changes.append(change)
    }
    for record in contents.records where record.kind != .succeeded && record.kind != .filed {
      for change in record.changes {
        let old = change.previous ?? known[change.name]
        known[change.name] = change.edit
        // A snapshot's record repeats what was changed while it was written.
        guard old != change.edit else { continue }
        let time = record.kind == .changes ? clock.time(ofMark: change.mark) : nil
        changes.append(Self(name: change.name, old: old, new: change.edit, time: time))
      }
    }
    return previous(place, notIn: earlier) + changes
  }

  /// What the files before had, as the journal says when it begins: each under the names that the
  /// next file has something else for.
  private static func filed(_ records: [JournalRecord]) -> [Self] {
    var changes: [Self] = []
    var next: [String: Edit] = [:]
    for record in records.reversed() where record.kind == .filed {
      let names = record.changes.sorted { $0.name > $1.name }
      for change in names {
        let old = change.previous
        changes.append(
          Self(name: change.name, old: old, new: next[change.name] ?? change.edit, time: nil))
      }
      for change in names { next[change.name] = change.previous ?? change.edit }
    }
    return changes.reversed()
  }

  /// What the file has that the backup hasn't.
  private static func previous(_ place: Place, notIn known: Set<String>) -> [Self] {
    let files = [place.backup, place.path].map { path in
      RawFile(path, followingLinks: path == place.path).bytes.flatMap {
        try? Defaults.PropertyListFormat.decode(Data($0)).entries
      }
    }
    guard let backup = files[0], let file = files[1] else { return [] }
    return Differences(from: backup, to: file, removesOthers: true).changes
      .filter { !known.contains($0.name) }
      .map { name, old, new in
        Self(
          name: name, old: old.map(Edit.set) ?? .remove, new: new.map(Edit.set) ?? .remove,
          time: nil)
      }
  }
}

/// Turns the marks of a journal, which count from the start of the machine, into times.
private struct MarkClock {
  /// The time at which the machine started; nil if that isn't the one that the marks count from.
  private let start: Date?

  /// Journals outlive the machine's start, and the clock of the marks stands still in its sleep:
  /// they are believed where the file that the journal builds on was written since, without sleep.
  init(journal: JournalContents) {
    let awake = Self.seconds(CLOCK_MONOTONIC)
    #if os(Linux)
      let all = Self.seconds(CLOCK_BOOTTIME)
    #else
      let all = awake
    #endif
    let started = Date.now.addingTimeInterval(-awake)
    let began = journal.began.map { Date(timeIntervalSince1970: Double($0.seconds)) }
    start = all - awake < 1 && (began ?? .distantPast) > started ? started : nil
  }

  func time(ofMark mark: UInt64) -> Date? {
    guard mark > 0 else { return nil }
    return start?.addingTimeInterval(Double(mark) / 1e9)
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
