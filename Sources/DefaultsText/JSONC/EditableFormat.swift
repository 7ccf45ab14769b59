import Defaults
import Foundation

extension Defaults {
  /// A format of files that people also edit. The suite changes only parts of the text, instead of
  /// writing the file from scratch.
  ///
  /// ```swift
  /// let suite = try Defaults.PropertyListSuite(
  ///   url: URL(filePath: "settings.jsonc"), format: .jsonc)
  /// ```
  ///
  /// Comments, order, blank lines, indentation and line breaks stay as they are, and only changed
  /// values change. A new setting is added after the last one with the same prefix, such as
  /// `editor.`, below a comment with the text of its ``Trait/about(_:)``. When a setting is
  /// removed, the comment directly above it and the comment at the end of its line are also
  /// removed.
  public struct EditableFormat: Sendable, Hashable {
    /// The groups whose settings may be members of an object.
    private let groups: DeclaredNames

    private init(nesting groups: Set<String> = []) { self.groups = DeclaredNames(groups: groups) }

    /// JSON with comments and commas after the last element, with the values of ``JSONFormat``.
    public static var jsonc: Self { Self() }

    /// JSON with comments, in which objects hold the settings of groups: with the group `limits`,
    /// `{"limits": {"requests": 60}}` is the setting `limits.requests`.
    ///
    /// A setting is changed where the file has it: in the object of its group, or under its full
    /// name. A new setting is added to the object of its group if the file has that object, and
    /// otherwise under its full name. If the file has a setting in both places, the entry under the
    /// full name is used. All other objects are settings that are dictionaries; a dictionary can't
    /// be stored under the name of a group.
    ///
    /// All programs that open the file must use the same groups.
    ///
    /// - Parameter groups: The names before the dots, such as `limits` or `editor.font`.
    public static func jsonc(nesting groups: Set<String>) -> Self { Self(nesting: groups) }
  }
}

extension Defaults.EditableFormat: SuiteFileFormat {
  package func decode(
    _ data: Data
  ) throws(Defaults.ConversionError) -> [String: Defaults.PropertyListValue] {
    groups.flattened(try Defaults.JSONCDocument.entries(in: data)).entries
  }

  package func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    guard case .dictionary = value, groups.isGroup(name) else { return }
    throw Defaults.SuiteError(
      .unrepresentable,
      "The name is that of a group of the file, so its entry can't be a dictionary. Set the "
        + "settings of the group, whose names begin with \"\(escaped(name)).\"",
      key: name)
  }

  package func encode(
    _ entries: [String: Defaults.PropertyListValue], replacing previous: Data?, path: String,
    about: (String) -> String?
  ) throws(Defaults.SuiteError) -> (data: Data, problem: Defaults.SuiteError?) {
    do throws(Defaults.ConversionError) {
      let entries = groups.flattened(entries).entries
      var problem: Defaults.SuiteError?
      // A property list has no text to edit.
      if let previous, (try? Defaults.PropertyListFormat.decode(previous)) == nil {
        do throws(Defaults.ConversionError) {
          let document = try Defaults.JSONCDocument(previous)
          let placed = try groups.placed(entries, in: document.entries)
          return (try document.edited(to: placed, nesting: groups, about: about), nil)
        } catch {
          problem = .rewritten(path, because: error)
        }
      }
      return (try Defaults.JSONCDocument.text(of: entries, about: about), problem)
    } catch {
      throw Defaults.SuiteError(
        .unrepresentable, "The settings can't be written as JSON: \(error)", path: path,
        underlying: error)
    }
  }
}

extension Defaults.SuiteError.Code {
  /// The text of a file couldn't be edited, so it was written from scratch, without its comments.
  public static let rewritten = Self(rawValue: "rewritten")
}

extension Defaults.SuiteError {
  fileprivate static func rewritten(
    _ path: String, because problem: Defaults.ConversionError
  ) -> Self {
    Self(
      .rewritten,
      "The file was written from scratch, without its comments, because its text can't be edited "
        + "(\(problem))",
      path: path, underlying: problem)
  }
}

extension Defaults.PropertyListSuite {
  /// Opens the suite in a file that people edit. A missing file is created, with its folders, after
  /// the first change.
  ///
  /// The journal next to the file has all settings, as for a property list. A second after a
  /// change, the suite edits the text of the file. If a text editor saves the file meanwhile, its
  /// changes are merged setting by setting, and its comments are preserved. An edited text is
  /// parsed and compared with the settings before it replaces the file. If the text can't be
  /// edited, the file is written from scratch, and the suite reports the issue `rewritten` with the
  /// reason. A property list in the file is read, and replaced by the next save.
  ///
  /// All programs must open the file with this format. Opening it as a property list throws
  /// `malformed`, and leaves it unchanged.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - format: The file's format.
  ///   - repairsDamage: Whether a damaged file is quarantined and written again, without its
  ///     comments. By default, opening a damaged file throws `malformed` with the line of the
  ///     mistake, and the file is unchanged.
  ///   - isReadOnly: Whether the suite never writes.
  ///   - onIssue: Replaces ``Defaults/issueHandler``. Ignored if this process has already opened
  ///     the file.
  /// - Throws: `unreadable` for the file, its folder or journal, or if this process has opened the
  ///   file as a property list; `malformed` for damage that must not be repaired;
  ///   `unsupportedLog` for a journal of a newer version of the library.
  public convenience init(
    url: URL, format: Defaults.EditableFormat, repairsDamage: Bool = false,
    readOnly isReadOnly: Bool = false, onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) throws(Defaults.SuiteError) {
    let file = try StoredFile(url: url, readOnly: isReadOnly)
    try self.init(in: file, format: nil, custom: format, repairsDamage, onIssue: onIssue)
    format.flatten(self)
  }
}

extension Defaults.EditableFormat {
  /// Gives the members of groups their full names, if a program without these groups has stored
  /// them as dictionaries.
  fileprivate func flatten(_ suite: Defaults.PropertyListSuite) {
    guard suite.entries.keys.contains(where: groups.isGroup) else { return }
    suite.write { draft in
      for name in draft.names.sorted() where groups.isGroup(name) {
        guard let entry = draft.entry(named: name), case .dictionary = entry else { continue }
        draft.removeEntry(named: name)
        for (name, value) in groups.flattened([name: entry]).entries
        where draft.entry(named: name) == nil {
          // The value was valid as a part of the dictionary.
          try? draft.setEntry(value, named: name)
        }
      }
    }
  }
}
