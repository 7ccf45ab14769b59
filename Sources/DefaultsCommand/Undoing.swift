import Defaults
import DefaultsHistory
import DefaultsText
import Foundation

// The verbs that print and undo earlier changes.

extension Verb {
  static let undoing = [history, undo, revert]

  private static let since = Option(
    name: "--since", value: "TIME",
    summary:
      "print only changes since a time (2026-01-31 or 2026-01-31T12:00:00Z) or within a duration "
      + "(30min, 1h, 2d or 1w)")

  private static let history = Verb(
    name: "history", operands: "[NAME…]", count: 0...Int.max, options: [since, .json],
    summary: "print the latest changes of settings, oldest first, with their programs"
  ) { command, invocation in
    let keys = try command.keys(named: invocation.operands, orGroups: true)
    let start = try invocation[since].map(time) ?? .distantPast
    let changes = try command.pastChanges(of: keys).filter { $0.change.date >= start }
    if invocation.has(.json) {
      return Console.printExactly(changes.map(\.json))
    }
    for change in changes { Console.print(change.line) }
  }

  private static let yes = Option(
    name: "--yes", summary: "don't ask whether to discard a later change")

  private static let undo = Verb(
    name: "undo", operands: "[N]", count: 0...1, options: [yes],
    summary: "undo the latest change, or the latest N, by any program"
  ) { command, invocation in
    let text = invocation.operands.first ?? "1"
    guard let count = Int(text), count > 0 else {
      throw UsageError("undo takes a positive number of changes, not \"\(text)\"")
    }
    let steps = try command.undoableSteps
    guard steps.count >= count else {
      throw Defaults.CommandError(
        steps.isEmpty
          ? "there is no change to undo"
          : "nothing was changed: only \(steps.count) of the \(count) changes can be undone",
        status: 1)
    }
    try command.reverse(
      PastStep(joining: steps.suffix(count)), as: "undo", isForced: invocation.has(yes))
  }

  private static let revert = Verb(
    name: "revert", operands: "NAME@TIME", count: 1...1, options: [yes],
    summary: "undo a change of a setting, by its time in `history`"
  ) { command, invocation in
    let operand = invocation.operands[0]
    guard let at = operand.lastIndex(of: "@") else {
      throw UsageError("revert takes NAME@TIME, with a time from `history`")
    }
    let key = try command.key(named: String(operand[..<at]))
    let typed = String(operand[operand.index(after: at)...])
    let date = try time(typed)
    // Compared as text, since `history` prints milliseconds. An age may have a fraction, too.
    let fraction = typed.contains("T") ? typed.firstMatch(of: /\.[0-9]+/)?.output ?? "" : ""
    let second = try (fraction.isEmpty ? date : time(typed.replacing(fraction, with: "")))
      .formatted(.iso8601)
    let changes = try command.suite.history().filter { change in
      guard command.storedNames(of: key).contains(change.name) else { return false }
      // A time without a fraction stands for all changes in its second.
      return fraction.isEmpty
        ? change.date.formatted(.iso8601) == second
        : change.time == "\(second.dropLast())\(fraction)Z"
    }
    guard !changes.isEmpty else {
      throw Defaults.CommandError(
        "\(key.name) has no change at \(typed); `\(command.name) history \(key.name)` prints its "
          + "changes",
        status: 1)
    }
    try command.reverse(
      PastStep(joining: changes.map { PastStep([$0]) }), as: "revert", isForced: invocation.has(yes)
    )
  }

  /// Returns the time that the user typed: a date, in UTC unless it has a zone, or an age.
  private static func time(_ text: String) throws(UsageError) -> Date {
    let units = ["s": 1.0, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    if let unit = units[String(text.dropFirst(number.count))], let count = Double(number) {
      let date = Date(timeIntervalSinceNow: -count * unit)
      // An earlier date may have no text.
      if date >= .distantPast { return date }
    }
    // The styles ignore what follows a date.
    let form = /[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]{8}(\.[0-9]+)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?/
    if let match = text.wholeMatch(of: form) {
      let style =
        if !text.contains("T") {
          Date.ISO8601FormatStyle().year().month().day()
        } else {
          Date.ISO8601FormatStyle(includingFractionalSeconds: match.1 != nil)
        }
      let zone = text.contains("T") && match.2 == nil ? "Z" : ""
      if let date = try? Date(text + zone, strategy: style) { return date }
    }
    throw UsageError("\"\(text)\" isn't a time such as 2026-01-31, 2026-01-31T12:00:00Z, 1h or 2d")
  }
}

extension Defaults.PastChange {
  /// The time as the command prints it, with milliseconds.
  fileprivate var time: String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

/// A past change and the key of its setting.
private struct KeyedChange {
  let key: Defaults.AnyKey
  let change: Defaults.PastChange

  /// The previous name of the setting if the entry with that name changed. That is no change of the
  /// setting's value if the setting also has an entry under its own name.
  private var previousName: String? {
    let name = Defaults.settingName(of: change.name)
    return name == key.name ? nil : name
  }

  /// The line of `history`.
  var line: String {
    let name = previousName.map { "\(key.name) (as \(visible($0)))" } ?? key.name
    var line = "\(change.time)  \(name): "
    if change.isSecret || key.isSecret {
      line += "(secret), changed"
    } else {
      let (old, new) = (key.text(showing: change.old), key.text(showing: change.new))
      line += "\(visible(old)) -> \(visible(new))"
    }
    let source = [change.program, change.origin].compactMap(\.self).joined(separator: ", ")
    return source.isEmpty ? line : line + "  (\(source))"
  }

  var json: [String: Defaults.PropertyListValue] {
    var json: [String: Defaults.PropertyListValue] = [
      "name": .string(key.name), "time": .string(change.time),
    ]
    if let previousName { json["previousName"] = .string(previousName) }
    if let program = change.program { json["program"] = .string(program) }
    if let origin = change.origin { json["origin"] = .string(origin) }
    if change.isSecret || key.isSecret {
      json["secret"] = true
    } else {
      json["old"] = change.old
      json["new"] = change.new
    }
    return json
  }
}

extension Defaults.Command {
  /// The names under which changes of a setting are stored: in the chosen profile, if there is one.
  fileprivate func storedNames(of key: Defaults.AnyKey) -> [String] {
    key.allNames.map { suite.stored?.storedName(of: $0) ?? $0 }
  }

  fileprivate func pastChanges(of keys: [Defaults.AnyKey]) throws -> [KeyedChange] {
    let names = keys.flatMap { key in storedNames(of: key).map { ($0, key) } }
    let keysByName = Dictionary(names) { first, _ in first }
    return try suite.history().compactMap { change in
      keysByName[change.name].map { KeyedChange(key: $0, change: change) }
    }
  }

  /// The transactions that changed settings of the program. Undone transactions and their undos are
  /// left out, so that a second undo reverses the transaction before the one that the first undo
  /// reversed.
  fileprivate var undoableSteps: [PastStep] {
    get throws {
      let names = Set(keys.flatMap(storedNames))
      let changes = try suite.history()
      var steps: [PastStep] = []
      var rest = changes[...]
      while let first = rest.first {
        let transaction = rest.prefix { $0.date == first.date }
        rest = rest.dropFirst(transaction.count)
        guard transaction.contains(where: { names.contains($0.name) }) else { continue }
        let step = PastStep(transaction)
        if step.origin == "undo", steps.removeSteps(reversedBy: step) { continue }
        steps.append(step)
      }
      return steps
    }
  }

  /// Undoes changes, after a question if later changes would be lost.
  fileprivate func reverse(_ step: PastStep, as origin: String, isForced: Bool) throws {
    var step = movingPreviousNames(of: step)
    let changed = keys.filter { storedNames(of: $0).contains { step.entries[$0] != nil } }
    if let name = step.secrets.map(Defaults.settingName).min() {
      throw Defaults.CommandError(
        "nothing was changed: \(name) is secret, so its earlier value isn't kept", status: 77)
    }
    for key in changed { try suite.requireUnmanaged(key) }
    var isDone = false
    while !isDone {
      do {
        try Defaults.withOrigin(origin) { try suite.reverse(step.entries, isForced: isForced) }
        isDone = true
      } catch let error as Defaults.SuiteError where error.code == .changedSince {
        let seen = step.replacing(after: suite.writable.entry)
        let later = changed.filter { key in
          storedNames(of: key).contains { step.entries[$0]?.new != seen.entries[$0]?.new }
        }
        // A change of a name that the program doesn't declare is in the error.
        let names =
          later.isEmpty ? error.key ?? "a setting" : later.map(\.name).joined(separator: ", ")
        try confirm(origin, despiteChangeOf: names)
        // The user knows the entries from before the question, and no later ones.
        step = seen
      }
    }
    try tellChange(of: changed)
  }

  /// Returns a step that restores settings under their current names, if their entries were moved
  /// there after the step. An entry under a previous name would have no effect.
  private func movingPreviousNames(of step: PastStep) -> PastStep {
    var step = step
    for key in keys {
      let names = storedNames(of: key)
      let current = names.drop { suite.writable.entry(named: $0) == nil }
      guard let name = current.first, step.entries[name] == nil else { continue }
      let moved = current.dropFirst().first { previous in
        step.entries[previous].map { $0.new != suite.writable.entry(named: previous) } ?? false
      }
      if let moved { step.moveEntry(named: moved, to: name) }
    }
    return step
  }

  /// Asks whether to undo changes and lose later ones. Throws if the user answers no or there is no
  /// terminal.
  private func confirm(_ verb: String, despiteChangeOf names: String) throws {
    guard Terminal.canAsk else {
      throw Defaults.CommandError(
        "\(names) was changed later, so nothing was done; use --yes to \(verb) anyway", status: 1)
    }
    guard Terminal.confirms("\(names) was changed later; \(verb) anyway?") else {
      throw Defaults.CommandError("nothing was changed", status: 1)
    }
  }
}
