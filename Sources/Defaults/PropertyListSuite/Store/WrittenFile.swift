import Foundation

/// The new content of a suite's file.
struct WrittenFile {
  let data: Data
  let form: LogRecord.FileIdentity.Form
  /// The version of the file whose text was edited.
  var base: FileVersion?
  /// A problem to report once the file is in place.
  var problem: SuiteError?
}

extension WrittenFile {
  /// Encodes a property list. If the format can't represent an entry that another program set, the
  /// file is binary, and the problem names the entry.
  ///
  /// - Throws: `unrepresentable`, about the path.
  init(
    _ entries: [String: PropertyListValue], as format: Defaults.PropertyListFormat, path: String
  ) throws(SuiteError) {
    do throws(Defaults.ConversionError) {
      self.init(data: try format.encode(entries), form: format == .xml ? .xml : .binary)
    } catch {
      guard format == .xml else {
        throw SuiteError(
          .unrepresentable, "The entries can't be written as a property list: \(error)", path: path,
          underlying: error)
      }
      try self.init(entries, as: .binary, path: path)
      problem = SuiteError(
        .unrepresentable,
        "The file was saved as a binary property list, because XML can't represent an entry: "
          + "\(error). Remove the entry to get XML again",
        path: path, underlying: error)
    }
  }
}
