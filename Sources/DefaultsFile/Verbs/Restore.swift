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
    let theirs = try entries(in: source, followingLinks: source != place.backup)
    for name in invocation.operands where theirs[name] == nil {
      throw UsageError(noEntry: name, of: Set(theirs.keys))
    }
    let isWhole = invocation.operands.isEmpty
    let selection = isWhole ? Defaults.Selection.all : .names(invocation.operands)
    let mode = isWhole && invocation.has(replace) ? Defaults.ImportMode.replace : .merge
    guard invocation.has(yes) else {
      let differences = try place.previewImport(selection, from: theirs, by: mode)
      try differences.requireAcceptance(of: source)
      differences.print()
      return Console.print(
        differences.isEmpty ? "Nothing would change." : "Nothing was changed; --yes does it.")
    }
    let suite = try place.open()
    let differences = try suite.importEntriesListingDifferences(selection, from: theirs, by: mode)
    try suite.save()
    differences.print()
  }
}
