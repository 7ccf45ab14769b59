import Foundation

/// The options for a suite's file.
struct FileOptions: Sendable {
  var format: Defaults.PropertyListFormat
  /// The format if the file isn't a property list.
  var custom: (any SuiteFileFormat)?
  var isReadOnly: Bool
  /// Whether timers and watchers run. Without them, tests control all events.
  var isAutomatic = true
  var repairsDamage = true
  var timeouts = LockTimeouts.standard

  /// The nanoseconds for which a property list must be missing to count as deleted. Many text
  /// editors move the old file away before they write the new one, scripts do the same with
  /// folders, and a folder can't be deleted while a file is created in it.
  static let settlingTime: UInt64 = 100_000_000
}

/// A format of a suite's file that isn't a property list, such as text that people edit.
package protocol SuiteFileFormat: Sendable {
  /// Returns the entries of a file; throws its first mistake.
  func decode(_ data: Data) throws(Defaults.ConversionError) -> [String: PropertyListValue]

  /// Throws `unrepresentable` if a file would lose this entry.
  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError)

  /// Returns the content of a file that replaces `previous`, which is nil if there is none or it is
  /// damaged, and a problem to report. `about` returns a setting's description.
  func encode(
    _ entries: [String: PropertyListValue], replacing previous: Data?, path: String,
    about: (String) -> String?
  ) throws(SuiteError) -> (data: Data, problem: SuiteError?)
}

extension SuiteFileFormat {
  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {}
}

/// A property list, or a file of a custom format, that was read and decoded.
struct DecodedFile {
  let entries: [String: PropertyListValue]
  let identity: LogRecord.FileIdentity
}

extension LogRecord.FileIdentity {
  /// Creates the identity of a file with this content.
  init(_ data: Data, stamp: FileVersion, form: Form = .binary) {
    self.init(
      stamp: stamp, checksum: data.withUnsafeBytes { Defaults.Checksum.of($0) }, form: form)
  }
}

extension LogRecord.FileIdentity.Form {
  /// The format of a property list; binary for a custom form.
  var format: Defaults.PropertyListFormat { self == .xml ? .xml : .binary }
}

extension FileOptions {
  func decode(_ content: StoredFile.Content) throws(Defaults.ConversionError) -> DecodedFile {
    let (entries, form): ([String: PropertyListValue], LogRecord.FileIdentity.Form)
    if let custom, Defaults.PropertyListFormat.detect(content.data) == nil {
      (entries, form) = (try custom.decode(content.data), .custom)
    } else {
      let (decoded, format) = try Defaults.PropertyListFormat.decode(content.data)
      (entries, form) = (decoded, format == .xml ? .xml : .binary)
    }
    return DecodedFile(
      entries: entries,
      identity: LogRecord.FileIdentity(content.data, stamp: content.version, form: form))
  }

  /// Returns whether a damaged file is quarantined. JSON isn't a damaged property list.
  func repairs(_ data: Data) -> Bool { repairsDamage && (custom != nil || !data.looksLikeJSON) }

  /// Throws if a damaged file isn't quarantined, and must be repaired by a person.
  func requireRepair(
    _ data: Data, _ error: Defaults.ConversionError, at path: String
  ) throws(SuiteError) {
    if custom == nil, data.looksLikeJSON { throw .fileIsJSON(path) }
    if repairsDamage { return }
    let form = custom == nil ? "a property list" : "valid"
    throw SuiteError(
      .malformed,
      "The file isn't \(form) (\(error.description(in: data))). Repair it; nothing was changed",
      path: path, underlying: error)
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
