import Defaults
import DefaultsCommand
import Foundation

extension Verb {
  private static let from = Option(
    name: "--from", value: "FILE", summary: "a property list or JSON, in place of the backup")
  private static let everything = Option(
    name: "--all", summary: "all entries; --yes needs it where no entries are named")
  private static let yes = Option(name: "--yes", summary: "do it")
  private static let replace = Option(
    name: "--replace", summary: "remove the entries that were not there then")

  static let restore = Verb(
    name: "restore", operands: "[NAME…]", count: 0...Int.max,
    options: [from, everything, yes, replace],
    summary: "print what bringing entries back would change; with --yes bring them back",
    details: ["They come from the previous file, the backup, all of them or those that are named."]
  ) { place, invocation in
    guard invocation.operands.isEmpty || !invocation.has(everything) else {
      throw UsageError("some entries are named; give these or --all, and not both")
    }
    // Without names there may be a mistake in a script, as an empty variable.
    guard !invocation.has(yes) || invocation.has(everything) || !invocation.operands.isEmpty else {
      throw UsageError("no entries are named; name some, or give --all")
    }
    let source = invocation[from] ?? place.backup
    guard RawFile.isThere(source) else {
      throw Defaults.CommandError("\(source): there is no such file", status: 66)
    }
    // What lies beside a settings file isn't reached by a link.
    let theirs = try entries(in: source, followingLinks: source != place.backup)
    let all = Set(theirs.keys)
    let names = try invocation.operands.map { typed in
      guard let name = existingName(typed: typed, in: all) else {
        throw UsageError(noEntry: typed, of: all)
      }
      return name
    }
    let isWhole = names.isEmpty
    let selection = isWhole ? Defaults.Selection.all : .names(names)
    let mode = isWhole && invocation.has(replace) ? Defaults.ImportMode.replace : .merge
    guard invocation.has(yes) else {
      let differences = try place.previewImport(selection, from: theirs, by: mode)
      try differences.requireAcceptance(of: source)
      differences.print()
      return Console.print(
        differences.isEmpty
          ? "Nothing would change."
          : "Nothing was changed; \(isWhole ? "--all " : "")--yes does it.")
    }
    let suite = try place.open()
    let differences = try suite.importEntriesListingDifferences(selection, from: theirs, by: mode)
    try suite.save()
    differences.print()
  }
}
