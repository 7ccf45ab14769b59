import Foundation

/// Property lists that are kept in files.
extension Defaults.PropertyListFormat {
  /// Returns the bytes of the file of a suite with this format and these entries. They are binary if
  /// the format can't hold an entry that another program set; `misfit` is the error that names it.
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
          "the file would have \(data.count >> 20) MiB, and \(limit >> 20) can be read")
      }
      return (data, misfit)
    } catch {
      throw SuiteError(
        .unrepresentable, "The entries can't be written as a property list: \(error)", path: path,
        underlying: error)
    }
  }

  /// Throws if the file of a suite with this format can't keep an entry exactly.
  func validateForFile(
    _ value: PropertyListValue, named name: String, path: @autoclosure () -> String
  ) throws(SuiteError) {
    try validate(value, named: name)
    guard name.utf8.count + value.encodedSize <= Defaults.SizeLimit.value else {
      throw SuiteError(
        .unrepresentable,
        "The value takes more than \(Defaults.SizeLimit.value >> 20) MiB, which is the most that a "
          + "suite keeps. Keep it in a file of its own, and store its path",
        path: path())
    }
  }
}

extension EntryTable {
  /// Throws if the suite would become too large by these changes.
  ///
  /// - Complexity: O(*n*) in the size of the changes, whatever else the suite has.
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
      "All entries together would take \(size >> 20) MiB, and a suite keeps \(limit >> 20). Remove "
        + "some, or keep large values in files of their own",
      path: path)
  }
}
