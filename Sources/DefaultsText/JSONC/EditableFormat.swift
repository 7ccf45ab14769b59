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
    private init() {}

    /// JSON with comments and commas after the last element, with the values of ``JSONFormat``.
    public static var jsonc: Self { Self() }
  }
}

extension Defaults.EditableFormat: SuiteFileFormat {
  package func decode(
    _ data: Data
  ) throws(Defaults.ConversionError) -> [String: Defaults.PropertyListValue] {
    try Defaults.JSONCDocument.entries(in: data)
  }

  package func encode(
    _ entries: [String: Defaults.PropertyListValue], replacing previous: Data?, path: String,
    about: (String) -> String?
  ) throws(Defaults.SuiteError) -> (data: Data, problem: Defaults.SuiteError?) {
    do throws(Defaults.ConversionError) {
      var problem: Defaults.SuiteError?
      // A property list has no text to edit.
      if let previous, (try? Defaults.PropertyListFormat.decode(previous)) == nil {
        do throws(Defaults.ConversionError) {
          return (try Defaults.JSONCDocument(previous).edited(to: entries, about: about), nil)
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
  ///   - onIssue: Replaces ``Defaults/issueHandler``. Only the first opening of a file counts.
  /// - Throws: `unreadable` for the file, its folder or journal, or if this process has opened the
  ///   file as a property list.
  public convenience init(
    url: URL, format: Defaults.EditableFormat, repairsDamage: Bool = false,
    readOnly isReadOnly: Bool = false, onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) throws(Defaults.SuiteError) {
    let file = try StoredFile(url: url, readOnly: isReadOnly)
    try self.init(in: file, format: nil, custom: format, repairsDamage, onIssue: onIssue)
  }
}
