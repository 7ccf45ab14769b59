import Foundation

/// Property lists in files.
extension Defaults.PropertyListFormat {
  /// Returns the bytes of a suite's file with this format and these entries. If the format can't
  /// represent an entry that another program set, the bytes are binary, and `misfit` is the error
  /// that names the entry.
  ///
  /// - Throws: `unrepresentable`, about the path.
  func encodeFile(
    _ entries: [String: PropertyListValue], path: String
  ) throws(SuiteError) -> (data: Data, misfit: Defaults.ConversionError?) {
    do {
      var misfit: Defaults.ConversionError?
      let data: Data
      do throws(Defaults.ConversionError) {
        data = try encode(entries)
      } catch {
        guard self != .binary else { throw error }
        data = try Self.binary.encode(entries)
        misfit = error
      }
      let limit = Defaults.SizeLimit.file
      guard data.count <= limit else {
        throw ConversionError(
          "the file would have \(data.count >> 20) MiB, more than the limit of \(limit >> 20)")
      }
      return (data, misfit)
    } catch {
      throw SuiteError(
        .unrepresentable, "The entries can't be written as a property list: \(error)", path: path,
        underlying: error)
    }
  }

  /// Throws if a suite's file with this format can't represent an entry exactly.
  func validateForFile(
    _ value: PropertyListValue, named name: String, path: @autoclosure () -> String
  ) throws(SuiteError) {
    try validate(value, named: name)
    guard name.utf8.count + value.encodedSize <= Defaults.SizeLimit.value else {
      throw SuiteError(
        .unrepresentable,
        "The value takes more than \(Defaults.SizeLimit.value >> 20) MiB, the limit of a suite. "
          + "Keep it in a separate file, and store its path",
        path: path())
    }
  }
}

extension EntryTable {
  /// Throws if these changes would make the suite too large.
  ///
  /// - Complexity: O(*n*) in the size of the changes, independently of the other entries.
  func checkSize(with changes: [Change], path: String) throws(SuiteError) {
    var size = size
    for change in changes {
      if let value = change.old { size -= Entries.size(of: value, named: change.name) }
      if let value = change.new { size += Entries.size(of: value, named: change.name) }
    }
    let limit = Defaults.SizeLimit.suite
    guard size > limit else { return }
    throw SuiteError(
      .unrepresentable,
      "All entries together would take \(size >> 20) MiB, and the limit is \(limit >> 20). Remove "
        + "some, or keep large values in separate files",
      path: path)
  }
}
