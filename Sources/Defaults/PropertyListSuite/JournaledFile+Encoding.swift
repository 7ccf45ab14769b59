import Foundation

/// Encoding the entries for the property list file.
extension JournaledFile {
  /// Returns the bytes of the file with these entries. They are binary if the suite's format can't
  /// hold an entry that another program set; `misfit` is the error that names it.
  func encode(
    _ entries: [String: PropertyListValue]
  ) throws(SuiteError) -> (data: Data, misfit: Defaults.PropertyListError?) {
    do {
      var misfit: Defaults.PropertyListError?
      let data: Data
      do throws(Defaults.PropertyListError) {
        data = try format.encode(entries)
      } catch {
        guard format != .binary else { throw error }
        data = try Defaults.PropertyListFormat.binary.encode(entries)
        misfit = error
      }
      let limit = Defaults.SizeLimit.file
      guard data.count <= limit else {
        throw PropertyListError(
          "the file would have \(data.count >> 20) MiB, and \(limit >> 20) can be read")
      }
      return (data, misfit)
    } catch {
      throw SuiteError(
        .unrepresentable, "The entries can't be written as a property list: \(error)",
        path: file.path, underlying: error)
    }
  }

  /// Notes whether the file that was just written is binary in place of XML. The first such file
  /// is an issue.
  func noteSavedAsBinary(because misfit: Defaults.PropertyListError?, _ state: inout State) {
    let wasSavedAsBinary = state.trouble.isSavedAsBinary
    state.trouble.isSavedAsBinary = misfit != nil
    guard let misfit, !wasSavedAsBinary else { return }
    state.trouble.problems.append(
      SuiteError(
        .unrepresentable,
        "The file was saved as a binary property list, because XML can't hold an entry: \(misfit). "
          + "Remove the entry to get XML again",
        path: file.path, underlying: misfit))
  }
}
