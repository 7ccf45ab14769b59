import Foundation

extension Defaults {
  /// The store of ``PropertyListSuite``: one property list file, read whole and replaced whole.
  struct PropertyListFileStore: Store {
    let file: StoredFile
    /// The format that the file is written in.
    let format: PropertyListFormat

    var label: String { file.path }

    /// A store on a file, what it holds, and the issue if a damaged file was set aside.
    ///
    /// Without a format, that of the file is kept, and a new file is binary. Throws `unreadable` or
    /// `unwritable`, and `unrepresentable` if the file holds what the format can't.
    static func open(
      _ file: StoredFile, format: PropertyListFormat?
    ) throws(SuiteError) -> (store: Self, entries: [String: PropertyListValue], issue: SuiteError?)
    {
      try file.checkAccess()
      let content = try read(file)
      let store = Self(file: file, format: format ?? content.format ?? .binary)
      if store.format != content.format {
        for (name, value) in content.entries { try store.validate(value, named: name) }
      }
      return (store, content.entries, content.issue)
    }

    func load() throws(SuiteError) -> [String: PropertyListValue] {
      try Self.read(file).entries
    }

    func save(
      _ entries: [String: PropertyListValue], changed: Set<String>
    ) throws(SuiteError) {
      let data: Data
      do {
        data = try format.encode(entries)
      } catch {
        throw SuiteError(
          .unrepresentable, "The entries can't be written as a property list: \(error)",
          path: file.path, underlying: error)
      }
      try file.replace(with: data)
    }

    func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
      try format.validate(value, named: name)
    }

    /// What the file holds; a file that isn't a property list is moved aside first.
    private static func read(
      _ file: StoredFile
    ) throws(SuiteError) -> (
      entries: [String: PropertyListValue], format: PropertyListFormat?, issue: SuiteError?
    ) {
      while let content = try file.read() {
        do {
          let (entries, format) = try PropertyListFormat.decode(content.data)
          return (entries, format, nil)
        } catch {
          // nil: the file was replaced meanwhile, and the new one is read.
          guard let newPath = try file.setAside(content.version) else { continue }
          let issue = SuiteError(
            .setAside,
            "The file was damaged (\(error)) and is now at \(newPath); starting without it",
            path: file.path, underlying: error)
          return ([:], nil, issue)
        }
      }
      return ([:], nil, nil)
    }
  }
}
