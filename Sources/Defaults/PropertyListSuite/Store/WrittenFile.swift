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
  fileprivate init(
    _ entries: [String: PropertyListValue], as format: Defaults.PropertyListFormat, path: String
  ) throws(SuiteError) {
    do throws(Defaults.ConversionError) {
      do throws(Defaults.ConversionError) {
        data = try format.encode(entries)
        form = format == .xml ? .xml : .binary
      } catch {
        guard format != .binary else { throw error }
        data = try Defaults.PropertyListFormat.binary.encode(entries)
        form = .binary
        problem = SuiteError(
          .unrepresentable,
          "The file was saved as a binary property list, because XML can't represent an entry: "
            + "\(error). Remove the entry to get XML again",
          path: path, underlying: error)
      }
    } catch {
      throw SuiteError(
        .unrepresentable, "The entries can't be written as a property list: \(error)", path: path,
        underlying: error)
    }
  }
}

extension FileStore {
  /// Returns the content of the file with these entries. A custom format edits the current text.
  ///
  /// - Throws: `unrepresentable`, also if the file would be too large to be read again.
  func content(of entries: [String: PropertyListValue]) throws(SuiteError) -> WrittenFile {
    let (content, limit) = (try encoded(entries), Defaults.SizeLimit.file)
    guard content.data.count > limit else { return content }
    throw SuiteError(
      .unrepresentable,
      "The file can't be written: it would have \(content.data.count >> 20) MiB, more than the "
        + "limit of \(limit >> 20)",
      path: file.path)
  }

  private func encoded(_ entries: [String: PropertyListValue]) throws(SuiteError) -> WrittenFile {
    guard let custom = options.custom else {
      return try WrittenFile(entries, as: options.format, path: file.path)
    }
    let base = try file.read()
    let isDamaged = state.withLock { $0.propertyList.damage?.version == base?.version }
    let (data, problem) = try custom.encode(
      entries, replacing: isDamaged ? nil : base?.data, path: file.path,
      about: table.support.about)
    return WrittenFile(data: data, form: .custom, base: base?.version, problem: problem)
  }
}
