import Defaults
import DefaultsCommand
import Foundation

extension Verb {
  private static let from = Option(
    name: "--from", value: "FILE", summary: "a property list or JSON, in place of the backup")
  private static let yes = Option(name: "--yes", summary: "do it")
  private static let replace = Option(
    name: "--replace", summary: "remove the entries that were not there then")

  static let restore = Verb(
    name: "restore", operands: "[NAME…]", count: 0...Int.max, options: [from, yes, replace],
    summary: "print what bringing entries back would change; with --yes bring them back",
    details: ["They come from the previous file, the backup, all of them or those that are named."]
  ) { place, invocation in
    let source = invocation[from] ?? place.backup
    guard RawFile.isThere(source) else {
      throw Defaults.CommandError("\(source): there is no such file", status: 66)
    }
    // What lies beside a settings file isn't reached by a link.
    var theirs = try entries(in: source, followingLinks: source != place.backup)
    for name in invocation.operands where theirs[name] == nil {
      throw UsageError(noEntry: name, of: Set(theirs.keys))
    }
    if !invocation.operands.isEmpty {
      let names = Set(invocation.operands)
      theirs = theirs.filter { names.contains($0.key) }
    }
    let removesOthers = invocation.has(replace) && invocation.operands.isEmpty
    guard invocation.has(yes) else {
      let ours = place.exists ? try place.read().entries : [:]
      let differences = Differences(from: ours, to: theirs, removesOthers: removesOthers)
      differences.print()
      return Console.print(
        differences.isEmpty ? "Nothing would change." : "Nothing was changed; --yes does it.")
    }
    let suite = try place.open()
    let entries = theirs
    let differences = try suite.transaction { draft in
      let names = draft.names
      let ours = Dictionary(
        uniqueKeysWithValues: names.compactMap { name in
          draft.entry(named: name).map { (name, $0) }
        })
      let differences = Differences(from: ours, to: entries, removesOthers: removesOthers)
      for (name, _, new) in differences.changes {
        if let new { try draft.setEntry(new, named: name) } else { draft.removeEntry(named: name) }
      }
      return differences
    }
    try suite.save()
    differences.print()
  }
}
