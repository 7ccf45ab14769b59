import Defaults
import Foundation

extension Defaults {
  /// The text of a JSON object with comments, which is edited so that it has other entries.
  ///
  /// All other text is unchanged, byte for byte: comments, order, blank lines, indentation, line
  /// breaks, the byte order mark, commas after the last element, and the form of values.
  ///
  /// - The text of a changed value is replaced. A changed object or array is edited in turn.
  /// - As many elements of an array as possible stay in their order, with their comments. Those
  ///   between them are changed in place, or are removed or added.
  /// - A new entry follows the last one with the same prefix, such as `editor.`, and otherwise the
  ///   last one. It is indented like the others, below a comment with its description. In an object
  ///   on one line it is in that line, without a description.
  /// - A removed entry is removed with its lines, the comment directly above it, and the comment
  ///   behind it in its line. A comment above a blank line stays.
  /// - The file's `$schema` is unchanged.
  package struct JSONCDocument {
    /// The entries of the text, without ``Defaults/schemaName``.
    package let entries: [String: PropertyListValue]
    private let structure: JSONCStructure

    /// Parses a text; throws its first mistake.
    package init(_ text: Data) throws(ConversionError) {
      entries = try Self.entries(in: text)
      guard let structure = JSONCStructure(Array(text)) else {
        throw ConversionError("the places of the elements in the text can't be found")
      }
      self.structure = structure
    }

    /// Returns the entries of a text; throws its first mistake.
    package static func entries(
      in text: Data
    ) throws(ConversionError) -> [String: PropertyListValue] {
      var entries = try JSONFormat(allowsComments: true).decode(text)
      entries[schemaName] = nil
      return entries
    }

    /// A new text with these entries, in the order of their names.
    ///
    /// - Parameter about: Returns the description of a setting, a comment above its entry.
    package static func text(
      of entries: [String: PropertyListValue], about: (String) -> String? = { _ in nil }
    ) throws(ConversionError) -> Data {
      if !entries.isEmpty {
        let empty = try Self(Data("{\n}\n".utf8))
        if let text = try? empty.edited(to: entries, about: about) { return text }
      }
      return try JSONFormat().encode(entries)
    }

    /// Returns the text with these entries.
    ///
    /// - Parameters:
    ///   - groups: The groups whose settings are members of objects, for their descriptions.
    ///   - about: Returns the description of a setting, a comment above a new entry.
    /// - Throws: If the edited text doesn't have these entries, which would be a mistake of this
    ///   library.
    /// - Complexity: O(*n* + *m* log *m*) for *n* bytes in old and new text and *m* edits, with a
    ///   constant that grows with the levels of arrays that are changed; and at most a million
    ///   steps for each array of which several elements are changed.
    package func edited(
      to entries: [String: PropertyListValue], nesting groups: DeclaredNames = DeclaredNames(),
      about: (String) -> String? = { _ in nil }
    ) throws(ConversionError) -> Data {
      var entries = entries
      entries[schemaName] = nil
      for (name, value) in entries where value.isDeeper(than: PropertyListValue.maximumDepth) {
        throw .tooDeep(name)
      }
      var editor = JSONCEditor(structure, nesting: groups)
      editor.edit(from: self.entries, to: entries, about: about)
      let text = Data(editor.edits.applied(to: structure.bytes))
      guard try Self.entries(in: text) == entries else {
        throw ConversionError("the edited text wouldn't have the new settings")
      }
      return text
    }
  }
}
