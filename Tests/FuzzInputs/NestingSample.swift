import Defaults
import DefaultsText
import Foundation

/// Random entries of settings with nested names, and random changes of a file that holds them.
package enum NestingSample {
  private typealias Entries = [String: Defaults.PropertyListValue]

  /// Nests and flattens the entries of some settings. Returns what was wrong, if anything.
  package static func tryRoundTrip(_ random: inout SplitMix64) throws -> String? {
    let keys = (0..<random.below(7)).map { _ in
      Defaults.Key<Int>(name(&random), default: 0, suite: home)
    }
    let names = Defaults.DeclaredNames(keys)
    var entries: Entries = [:]
    // Entries that a suite can have: any under the names of settings, and some others.
    for key in keys where random.oneIn(2) { entries[key.name] = value(3, &random) }
    for _ in 0..<random.below(3) { entries[name(&random)] = value(1, &random) }
    let nested = names.nested(entries)
    let flat = names.flattened(entries).entries
    let flattened = names.flattened(nested)
    guard flattened.entries == flat, names.flattened(flat).entries == flat else {
      return "\(entries) is flattened to \(flattened.entries)"
    }
    let read = try Defaults.JSONFormat().decode(try Defaults.JSONFormat().encode(nested))
    guard names.flattened(read).entries == flat else { return "\(entries) is read as \(read)" }
    // A layer reads the same entries as an import.
    for key in keys where flattened.ambiguities[key.name] == nil {
      guard names.entry(of: key.name, in: nested) == flat[key.name] else {
        return "a layer reads another entry of \(key.name) in \(nested)"
      }
    }
    return nil
  }

  /// Changes a file of JSON with comments some times. Returns what was wrong, if anything.
  package static func tryChanges(_ random: inout SplitMix64) throws -> String? {
    let format = Defaults.EditableFormat.jsonc(nesting: ["a", "a.b", "c"])
    var data = Data(text.utf8)
    var entries = try format.decode(data)
    for _ in 0..<5 {
      let name = random.pick(changedNames)
      // An entry and a group of one name can't both have a place.
      let isRemoved = name == "a.b" || name == "c" || random.oneIn(2)
      entries[name] = isRemoved ? nil : .integer(Int64(random.below(9)))
      let (new, problem) = try format.encode(entries, replacing: data, path: "") { _ in nil }
      if let problem { return "\(entries) isn't stored: \(problem)" }
      let found = try format.decode(new)
      guard found == entries else { return "\(entries) is read as \(found)" }
      data = new
    }
    let isKept = String(decoding: data, as: UTF8.self).contains("// kept")
    return isKept ? nil : "the comment is lost in \(String(decoding: data, as: UTF8.self))"
  }

  private static let home = Defaults.MemorySuite()
  private static let parts = [
    "a", "b", "c", "", "a.b", "$a", "é", "e\u{301}", "\u{301}", ".", "🇩🇪",
  ]
  private static let changedNames = [
    "a.x", "a.b.x", "a.b.y", "a.b", "c.x", "c", "d.x", "x", "a.b.x.y",
  ]
  private static let text = """
    {
      // kept

      "a": {"x": 1, "b": {"x": 2}, "b.y": 3},
      "a.b": {"x.y": 4},
      "c.x": 5,
    }
    """

  private static func name(_ random: inout SplitMix64) -> String {
    let name = (0...random.below(4)).map { _ in random.pick(parts) }.joined(separator: ".")
    return name.isEmpty ? "z" : name
  }

  private static func value(
    _ levels: Int, _ random: inout SplitMix64
  ) -> Defaults.PropertyListValue {
    guard levels > 0, random.oneIn(2) else { return .integer(Int64(random.below(10))) }
    var members: Entries = [:]
    for _ in 0..<random.below(4) { members[name(&random)] = value(levels - 1, &random) }
    return .dictionary(members)
  }
}
