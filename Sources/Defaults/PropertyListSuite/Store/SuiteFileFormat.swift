import Foundation

/// A format of a suite's file that isn't a property list, such as text that people edit.
package protocol SuiteFileFormat: Sendable {
  /// Returns the entries of a file; throws its first mistake.
  func decode(_ data: Data) throws(Defaults.ConversionError) -> [String: PropertyListValue]

  /// Returns the content of a file that replaces `previous`, which is nil if there is none or it is
  /// damaged, and a problem to report. `about` returns a setting's description.
  func encode(
    _ entries: [String: PropertyListValue], replacing previous: Data?, path: String,
    about: (String) -> String?
  ) throws(SuiteError) -> (data: Data, problem: SuiteError?)
}

/// The new content of a suite's file.
struct WrittenFile {
  let data: Data
  let form: LogRecord.FileIdentity.Form
  /// The version of the file whose text was edited.
  var base: FileVersion?
  /// The reason why the file is binary instead of XML.
  var misfit: Defaults.ConversionError?
  var problem: SuiteError?
}

extension FileOptions {
  /// Returns the entries of a file, and its form.
  func decode(
    _ data: Data
  ) throws(Defaults.ConversionError) -> (
    entries: [String: PropertyListValue], form: LogRecord.FileIdentity.Form
  ) {
    if let custom, Defaults.PropertyListFormat.detect(data) == nil {
      return (try custom.decode(data), .custom)
    }
    let (entries, format) = try Defaults.PropertyListFormat.decode(data)
    return (entries, format == .xml ? .xml : .binary)
  }

  /// Returns whether a damaged file is quarantined. JSON isn't a damaged property list.
  func repairs(_ data: Data) -> Bool { repairsDamage && (custom != nil || !data.looksLikeJSON) }

  /// Throws if a damaged file isn't quarantined.
  func requireRepair(_ data: Data, _ error: any Error, at path: String) throws(SuiteError) {
    if custom == nil, data.looksLikeJSON { throw .fileIsJSON(path) }
    if !repairsDamage { throw .damaged(error, data, at: path) }
  }
}

extension Data {
  /// Whether the text begins with an object of JSON or with a comment.
  package var looksLikeJSON: Bool {
    // Without a byte order mark.
    let start = lazy.filter { !XMLScanner.isSpace($0) && $0 < 0x80 }.prefix(2)
    return ["{\"", "{}", "{/", "//", "/*"].contains(String(decoding: start, as: UTF8.self))
  }
}

extension FileStore {
  /// Returns the content of the file with these entries. A custom format edits the current text.
  func content(of entries: [String: PropertyListValue]) throws(SuiteError) -> WrittenFile {
    guard let custom = options.custom else {
      let (data, misfit) = try options.format.encodeFile(entries, path: file.path)
      let isXML = options.format == .xml && misfit == nil
      return WrittenFile(data: data, form: isXML ? .xml : .binary, misfit: misfit)
    }
    let base = try file.read()
    let isDamaged = state.withLock { $0.file.damaged == base?.version }
    let (data, problem) = try custom.encode(
      entries, replacing: isDamaged ? nil : base?.data, path: file.path,
      about: table.support.about)
    return WrittenFile(data: data, form: .custom, base: base?.version, problem: problem)
  }
}
