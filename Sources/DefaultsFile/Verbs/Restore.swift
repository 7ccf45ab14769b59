import Defaults
import DefaultsCommand
import DefaultsText
import Foundation

extension Verb {
  private static let from = Option(
    name: "--from", value: "FILE",
    summary: "restore from a property list or JSON file, not from the journal")
  private static let everything = Option(
    name: "--all", summary: "all entries; required with --yes if no entries are named")
  private static let yes = Option(name: "--yes", summary: "make the changes")
  private static let replace = Option(
    name: "--replace", summary: "also remove entries that the restored settings don't have")

  static let restore = Verb(
    name: "restore", operands: "[NAME…]", count: 0...Int.max,
    options: [from, everything, yes, replace],
    summary: "restore earlier values of entries; without --yes, only print the changes",
    details: [
      "Without --from, the last change of each entry, or of each named entry, that the journal has",
      "recorded is undone, or a later edit of the file.",
    ]
  ) { place, invocation in
    guard invocation.operands.isEmpty || !invocation.has(everything) else {
      throw UsageError("use names or --all, not both")
    }
    // Missing names may be a mistake in a script, such as an empty variable.
    guard !invocation.has(yes) || invocation.has(everything) || !invocation.operands.isEmpty else {
      throw UsageError("no entries are named; name entries or use --all")
    }
    let source = invocation[from] ?? place.journal
    let past = invocation[from] == nil ? try KnownChange.last(of: place) : nil
    let changes = past?.changes
    let theirs = try changes == nil ? entries(in: source) : [:]
    let all = Set(changes?.keys.map(\.self) ?? theirs.keys.filter(Defaults.Selection.whole.allows))
    let names = try invocation.operands.map { typed in
      guard let name = existingName(typed: typed, in: all) else {
        if let secret = existingName(typed: typed, in: past?.secrets ?? []) {
          throw Defaults.CommandError(
            "nothing was changed: \(secret) is secret, so its earlier value isn't kept", status: 77)
        }
        guard changes == nil else {
          throw UsageError("the journal has no change of \"\(typed)\"; use --from to name a file")
        }
        throw UsageError(noEntry: typed, of: all)
      }
      return name
    }
    let isWhole = names.isEmpty
    if let changes {
      for name in isWhole ? past?.secrets.sorted() ?? [] : [] {
        Console.printError("\(name) is secret, so its earlier value isn't kept")
      }
      return try undo(in: place, does: invocation.has(yes), isWhole: isWhole) { entry in
        var edits: [String: Edit] = [:]
        for (name, change) in changes where isWhole || names.contains(name) {
          // An edit of the file that no program has recorded is the last change.
          let edit = entry(name) == change.new.entry ? change.old : change.new
          if !isWhole || edit != .remove || invocation.has(replace) { edits[name] = edit }
        }
        return edits
      }
    }
    let selection = isWhole ? Defaults.Selection.whole : .names(names).includingProfiles
    let mode = isWhole && invocation.has(replace) ? Defaults.ImportMode.replace : .merge
    guard invocation.has(yes) else {
      let differences = try place.previewImport(selection, from: theirs, by: mode)
      try differences.requireAcceptance(of: source)
      differences.print()
      return Console.print(
        differences.isEmpty
          ? "Nothing would change."
          : "Nothing was changed; use \(isWhole ? "--all " : "")--yes to restore.")
    }
    let suite = try place.open()
    let differences = try suite.importEntries(selection, from: theirs, by: mode).differences
    try suite.save()
    differences.print()
  }

  /// Makes edits that restore the values of entries from before their last changes. `edits` returns
  /// them for the current entries.
  private static func undo(
    in place: Place, does isWanted: Bool, isWhole: Bool,
    _ edits: ((String) -> PropertyListValue?) -> [String: Edit]
  ) throws {
    guard isWanted else {
      let present = try place.read().entries
      let changes = Differences(from: present, to: edits { present[$0] })
      changes.print()
      return Console.print(
        changes.isEmpty
          ? "Nothing would change."
          : "Nothing was changed; use \(isWhole ? "--all " : "")--yes to restore.")
    }
    let suite = try place.open(mustExist: true)
    let changes = try suite.transaction { draft in
      var present: [String: PropertyListValue] = [:]
      let earlier = edits { draft.entry(named: $0) }
      for name in earlier.keys { present[name] = draft.entry(named: name) }
      for (name, edit) in earlier {
        if let value = edit.entry {
          try draft.setEntry(value, named: name)
        } else {
          draft.removeEntry(named: name)
        }
      }
      return Differences(from: present, to: earlier)
    }
    try suite.save()
    changes.print()
  }
}

extension KnownChange {
  /// The last recorded changes of entries, and the names of changed secrets, whose values aren't
  /// kept. Throws if no change is recorded.
  fileprivate static func last(
    of place: Place
  ) throws -> (changes: [String: Self], secrets: Set<String>) {
    var changes: [String: Self] = [:]
    var secrets: Set<String> = []
    for change in try all(of: place) where Defaults.Selection.whole.allows(change.name) {
      if change.isSecret {
        secrets.insert(change.name)
      } else {
        changes[change.name] = change
      }
    }
    guard !changes.isEmpty || !secrets.isEmpty else {
      throw Defaults.CommandError(
        "\(place.journal): the journal has no changes; use --from to name a file", status: 66)
    }
    return (changes, secrets)
  }
}

extension Differences {
  /// The changes that the edits would make.
  fileprivate init(from ours: [String: PropertyListValue], to edits: [String: Edit]) {
    let removed = edits.filter { $0.value == .remove }.keys
    self.init(
      from: ours.filter { edits[$0.key] != nil }, to: edits.compactMapValues(\.entry),
      removesOthers: !removed.isEmpty)
  }
}
