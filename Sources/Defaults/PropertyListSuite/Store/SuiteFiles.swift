/// The property list of a suite, and the log next to it.
struct SuiteFiles {
  let file: StoredFile
  let journal: StoredFile

  /// Creates the values without reading the files.
  init(_ file: StoredFile) {
    self.file = file
    journal = file.place(beside: ".journal")
  }
}
