import Defaults
import Foundation

/// Finds the edits after which a text has other entries.
struct JSONCEditor {
  typealias Value = JSONCStructure.Value
  typealias Element = JSONCStructure.Element

  let structure: JSONCStructure
  let layout: JSONCLayout
  var edits = TextEdits()
  /// Whether the elements of the file are in lines.
  lazy var hasLines = !isOneLine(structure.root)
  /// The groups whose settings are members of objects.
  private let groups: Defaults.DeclaredNames

  var bytes: [UInt8] { structure.bytes }

  init(_ structure: JSONCStructure, nesting groups: Defaults.DeclaredNames) {
    self.structure = structure
    self.groups = groups
    layout = JSONCLayout(structure).indented(like: structure.root)
  }

  /// An element to add.
  struct Addition {
    /// The name as it is written; nil in an array.
    var name: String?
    var value: PropertyListValue
    /// The text of the comment above it.
    var about: String?
  }

  /// The elements of an object or array to remove and to add.
  struct Changes {
    var removed: Set<Int> = []
    /// The elements to add, by the index of the remaining element before them; -1 is the beginning.
    var added: [Int: [Addition]] = [:]

    var isEmpty: Bool { removed.isEmpty && added.isEmpty }
  }

  /// Edits the whole text.
  mutating func edit(
    from old: [String: PropertyListValue], to new: [String: PropertyListValue],
    about: (String) -> String?
  ) {
    editObject(structure.root, from: old, to: new, under: "", about: about)
  }

  // MARK: - Values

  /// Edits an object. `path` is the beginning of the names of its settings; nil if its members
  /// aren't settings.
  private mutating func editObject(
    _ object: Value, from old: [String: PropertyListValue], to new: [String: PropertyListValue],
    under path: String?, about: (String) -> String?
  ) {
    func member(_ name: String, of members: [String: PropertyListValue]) -> PropertyListValue? {
      guard let index = members.index(forKey: name) else { return nil }
      let (key, value) = members[index]
      // Only the name of a setting may be composed of other scalars.
      return path != nil || key.hasSameScalars(as: name) ? value : nil
    }
    let isOneLine = isOneLine(object)
    var changes = Changes()
    var prefixes: [Substring: Int] = [:]
    var last = -1
    for (index, element) in object.elements.enumerated() {
      guard let name = name(of: element) else {
        // The reference of a file to its schema stays.
        last = index
        continue
      }
      guard let value = member(name, of: new), let present = member(name, of: old) else {
        changes.removed.insert(index)
        continue
      }
      last = index
      for group in Self.groups(of: name) { prefixes[group] = index }
      if case .dictionary(let old) = present, case .dictionary(let new) = value,
        element.value.kind == .object
      {
        let group = path.map { $0 + name }.flatMap { groups.isGroup($0) ? $0 + "." : nil }
        editObject(element.value, from: old, to: new, under: group, about: about)
      } else {
        edit(element, from: present, to: value, inOneLine: isOneLine)
      }
    }
    for name in new.keys.filter({ member($0, of: old) == nil }).sortedByBytes {
      guard let value = new[name] else { continue }
      let place = Self.groups(of: name).reversed().lazy.compactMap { prefixes[$0] }.first ?? last
      let addition = Addition(
        name: Defaults.JSONTag.escape(name), value: value,
        about: path.flatMap { about($0 + name) })
      changes.added[place, default: []].append(addition)
    }
    apply(changes, to: object, isOneLine: isOneLine)
  }

  private mutating func editArray(
    _ array: Value, from old: [PropertyListValue], to new: [PropertyListValue]
  ) {
    let isOneLine = isOneLine(array)
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
    }
    // The elements that stay in order, and behind them the end of the changed part.
    let kept =
      ElementMatch.pairs(old[start..<oldEnd], new[start..<newEnd])
      + [ElementMatch(old: oldEnd, new: newEnd)]
    var changes = Changes()
    var (oldStart, newStart) = (start, start)
    for match in kept {
      // Elements between two that stay are changed in place, as many as there are.
      let count = min(match.old - oldStart, match.new - newStart)
      for offset in 0..<count {
        let (from, to) = (old[oldStart + offset], new[newStart + offset])
        edit(array.elements[oldStart + offset], from: from, to: to, inOneLine: isOneLine)
      }
      changes.removed.formUnion(oldStart + count..<match.old)
      let added = new[newStart + count..<match.new]
      if !added.isEmpty {
        changes.added[oldStart + count - 1] = added.map { Addition(value: $0) }
      }
      (oldStart, newStart) = (match.old + 1, match.new + 1)
    }
    apply(changes, to: array, isOneLine: isOneLine)
  }

  private mutating func edit(
    _ element: Element, from old: PropertyListValue, to new: PropertyListValue,
    inOneLine isOneLine: Bool
  ) {
    let value = element.value
    switch (old, new) {
    case (.dictionary(let old), .dictionary(let new)) where value.kind == .object:
      editObject(value, from: old, to: new, under: nil) { _ in nil }
    case (.array(let old), .array(let new)) where value.kind == .array:
      guard old.count == value.elements.count else { fallthrough }
      editArray(value, from: old, to: new)
    default:
      if old == new { return }
      let indentation = isOneLine ? nil : layout.indentation(at: element.start)
      edits.replace(
        value.range,
        with: layout.text(of: new, indentation: indentation, isCompact: isCompact(in: isOneLine)))
    }
  }

  /// Whether the values in an object or array are written without any spaces.
  private func isCompact(in isOneLine: Bool) -> Bool {
    isOneLine && colon(of: structure.root) == [UInt8(ascii: ":")]
  }

  // MARK: - Names

  /// The name of a member; nil for a file's reference to its schema.
  private func name(of element: Element) -> String? {
    guard let range = element.name else { return nil }
    let literal = bytes[range]
    let written: String
    if literal.contains(UInt8(ascii: "\\")) {
      var reader = Defaults.JSONReader(Data(literal))
      guard case .string(let text)? = try? reader.wholeValue() else { return nil }
      written = text
    } else {
      written = String(decoding: literal.dropFirst().dropLast(), as: UTF8.self)
    }
    guard written.utf8.first == UInt8(ascii: "$") else { return written }
    // `$schema`, because every other name has another $ before its own.
    let name = String(Substring(written.utf8.dropFirst()))
    return name.utf8.first == UInt8(ascii: "$") ? name : nil
  }

  /// The prefixes of a name that end with a dot, the shortest first.
  private static func groups(of name: String) -> [Substring] {
    name.utf8.indices.lazy.filter { name.utf8[$0] == UInt8(ascii: ".") }.prefix(8)
      .map { name[...$0] }
  }
}

extension [String] {
  fileprivate var sortedByBytes: Self {
    sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
