import Foundation

extension Defaults {
  /// A suite that is kept in a property list file: the default backend.
  ///
  /// ```swift
  /// let shared = try Defaults.PropertyListSuite(named: "com.example.shared")
  /// shared[.quality] = 0.5
  /// try shared.flush()  // or don't: it is saved in the background, and at exit
  /// ```
  ///
  /// The file is complete, valid, and readable by every program that reads property lists. A change
  /// is saved in the background at once, as a new file that replaces the old one: written, synced,
  /// renamed, and the folder synced, so that a crash or a power cut leaves the old or the new file,
  /// whole. What isn't saved when the process is killed is lost; a normal exit saves.
  ///
  /// New files are binary, with mode 0600 in folders of mode 0700; an existing file keeps its
  /// format and mode. A symbolic link is followed. A hard link isn't: the other names keep the old
  /// content. Opening one file several times in a process, by whatever path, gives views of one
  /// state. One process at a time should write a file.
  ///
  /// A file that can't be parsed is moved aside as `<name>.corrupt-<date>`, an issue names it, and
  /// the suite starts empty. A file that can't be read or written is never touched.
  public final class PropertyListSuite: StoredSuiteView {
    /// What holds the entries; views of one file share it.
    public let storage: StoredSuite

    /// The file, with all symbolic links resolved; it need not exist before the first save. nil for
    /// ``standard`` where that works in memory.
    public let url: URL?

    /// Why the suite has no file; nil if it has one.
    private let obstacle: SuiteError?

    static let ofProgram: PropertyListSuite = {
      do throws(SuiteError) {
        return try PropertyListSuite(file: StoredFile(), format: nil, onIssue: nil)
      } catch {
        return PropertyListSuite(inMemoryBecause: error)
      }
    }()

    /// The suite of this name, which several programs of a user may share: like ``standard``, with
    /// the name in place of the identifier.
    ///
    /// Throws `noLocation` if the name is empty or no name of a folder, or if there is no home
    /// folder, and else what ``init(url:format:onIssue:)`` throws.
    public convenience init(
      named name: String, format: PropertyListFormat? = nil,
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      try self.init(file: StoredFile(named: name), format: format, onIssue: onIssue)
    }

    /// The suite in a file, which is read now; one that isn't there is made, with its folders, by
    /// the first save.
    ///
    /// Without a format, that of the file is kept, and a new file is binary. `onIssue` takes the
    /// suite's issues in place of ``Defaults/issueHandler``. Both count only for the first of
    /// several openings of one file. Throws `unreadable` or `unwritable` if the file or its folder
    /// is, and `unrepresentable` if the file holds what the format can't.
    public convenience init(
      url: URL, format: PropertyListFormat? = nil, onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      try self.init(file: StoredFile(url: url), format: format, onIssue: onIssue)
    }

    private init(
      file: StoredFile, format: PropertyListFormat?, onIssue: (@Sendable (Issue) -> Void)?
    ) throws(SuiteError) {
      storage = try OpenFiles.storage(of: file, format: format, onIssue: onIssue)
      url = URL(filePath: file.path)
      obstacle = nil
    }

    private init(inMemoryBecause error: SuiteError) {
      storage = StoredSuite(entries: [:], persistence: nil, support: SuiteSupport(label: "standard"))
      url = nil
      let obstacle = SuiteError(
        .inMemory, "Settings of this run won't be kept: \(error.reason)", path: error.path,
        underlying: error)
      self.obstacle = obstacle
      storage.support.report(obstacle)
    }

    /// How the file is, and how the suite got its entries.
    public var health: Health { (storage.persistence as? JournaledFile)?.health ?? .inMemory }

    /// Stores what was changed before the call; see the protocol. Throws `inMemory` for a
    /// ``standard`` that has no file.
    public func flush() throws(SuiteError) {
      try flush(.durable)
    }

    /// Stores what was changed before the call, as far as that is asked for: in the journal, where
    /// it survives a power cut, or in the file, where other programs see it. Throws what prevents
    /// it, and `inMemory` for a ``standard`` that has no file.
    public func flush(_ extent: FlushExtent) throws(SuiteError) {
      if let obstacle { throw obstacle }
      try storage.flush(extent)
    }
  }
}

extension Defaults.Suite where Self == Defaults.PropertyListSuite {
  /// The suite of this program.
  ///
  /// It lies in `${XDG_CONFIG_HOME:-$HOME/.config}/<identifier>/Defaults.plist` on Linux and in
  /// the application support folder on Apple platforms; the identifier is that of the bundle,
  /// else the name of the executable. If the file can't be read or written, the suite works in
  /// memory, nothing is touched, and an issue says so.
  public static var standard: Defaults.PropertyListSuite { .ofProgram }
}

/// The suites of all files that are open in this process, by canonical path.
private enum OpenFiles {
  private struct Weak {
    weak var storage: Defaults.StoredSuite?
  }

  private static let storages = Lock([Defaults.StoredFile: Weak]())

  /// The storage of a file: that of an earlier opening which is still in use, or a new one.
  static func storage(
    of file: Defaults.StoredFile, format: Defaults.PropertyListFormat?,
    onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) throws(Defaults.SuiteError) -> Defaults.StoredSuite {
    // The file is read under the lock: a second opening has to wait for what the first one finds.
    let (storage, start) = try storages.withLock { storages throws(Defaults.SuiteError) in
      if let storage = storages[file]?.storage { return (storage, {}) }
      let opened = try Defaults.JournaledFile.open(file, format: format, onIssue: onIssue)
      storages = storages.filter { $0.value.storage != nil }
      storages[file] = Weak(storage: opened.suite)
      return opened
    }
    start()
    return storage
  }
}
