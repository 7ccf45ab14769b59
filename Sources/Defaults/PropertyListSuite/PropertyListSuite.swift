import Foundation
import Synchronization

extension Defaults {
  /// A suite in a property list file: the default backend.
  ///
  /// ```swift
  /// let shared = try Defaults.PropertyListSuite(named: "com.example.shared")
  /// shared[.quality] = 0.5
  /// try shared.flush()  // only needed to survive a power loss
  /// ```
  ///
  /// **Durability.** When a setter, update or transaction returns, the change is in the journal
  /// next to the file. It survives a crash, and all processes that use the file see it, in one
  /// order. When ``Suite/flush()`` returns, the change survives a power loss. The time of a change
  /// and the time of a flush don't depend on the size of the suite.
  ///
  /// **The file** is always complete and readable by every program that reads property lists. All
  /// settings are exported to it a second after a change (less often if exports take more than a
  /// twentieth of the time), at normal exit, when the suite is released, and by ``flush(_:)`` with
  /// `.snapshot`. It is never written in place: a crash leaves the complete old or new file.
  /// Changes or removal of the file by another program are merged by name at once. A set after the
  /// merge wins over the edit. A set before it loses, even if it was made after the edit was saved.
  ///
  /// **Next to the file** are `<name>.journal`, which has all settings and is also the lock (the
  /// engine's types call it the log), and `<name>.corrupt-<date>`, the last five quarantined files.
  /// Deleting them while no program runs loses the history, the changes that aren't in the file
  /// yet, and the entries that could still be recovered from the quarantined files.
  ///
  /// **Several processes.** Changes of other processes arrive automatically: from the first
  /// observation on or, without an observer, from 50 ms after opening on. Observers receive them as
  /// ``Change/Source/external``, on a writing thread or on a background thread that serves all
  /// suites and must not be blocked. A set holds the lock for microseconds; a merge and an export
  /// hold it during a few syncs. A transaction's body runs without the lock, except for a third
  /// run. If a stopped process holds the lock, a setter waits a second, then makes the change in
  /// memory and reports an issue. The change is stored when the lock is free. An update or
  /// transaction waits 30 seconds, then throws `locked`. The file must be on a local file system,
  /// since network file systems don't report changes, and some ignore locks. A child that is forked
  /// without an exec reads its parent's settings, and its writes throw `forked` or report it.
  ///
  /// **Permissions.** New files are binary, with mode 0600 in folders with mode 0700. An existing
  /// file keeps its format, mode, owner and group, which also apply to the files next to it. Only
  /// users who may write the file may open the journal, since its readers could lock it; other
  /// users read only the file. Symbolic links are followed, even when they change. Other hard links
  /// to the file keep the old content. Several openings of a file in a process share one state;
  /// openings with `readOnly: true` share another one.
  ///
  /// **Other users' files.** One of the names above may belong to a symbolic link, pipe, folder or
  /// file of a user who may not write the settings. The library never follows or changes such an
  /// item. Until the item is removed, opening throws, or changes stay in memory.
  ///
  /// **Damage.** A file that can't be parsed is kept as `<name>.corrupt-<date>`. The suite uses the
  /// settings in the journal, or starts empty without a journal. An issue names the file, and
  /// ``health`` shows it. If a file can't be read, opening throws and the file is unchanged. If it
  /// can't be written, the suite opens with an issue; changes stay in memory and are stored when
  /// the file is writable again.
  public final class PropertyListSuite: StoredSuiteView {
    /// The suite that holds the entries. Views of one file share it.
    @_documentation(visibility: internal)
    public let storage: StoredSuite

    /// The URL of the file, with all symbolic links resolved. The file may not exist before the
    /// first save. nil for a ``Suite/standard`` without a file.
    public var url: URL? {
      ((storage.persistence as? FileStore)?.file.path ?? path).map { URL(filePath: $0) }
    }

    private let path: String?

    /// Whether this is `.standard`, so that keys with this suite belong to the `.standard` at the
    /// time of their use.
    let isStandard: Bool

    private static let formatOfProgram = Lock<(format: PropertyListFormat?, isUsed: Bool)>(
      (nil, false))

    /// The format of the file of ``Suite/standard``. The default, nil, keeps the file's format and
    /// makes a new file binary.
    ///
    /// Set it at launch, before any key of `.standard` is used. Setting it later traps.
    ///
    /// ```swift
    /// Defaults.PropertyListSuite.standardFormat = .xml
    /// ```
    public static var standardFormat: PropertyListFormat? {
      get { formatOfProgram.withLock { $0.format } }
      set {
        let isTooLate = formatOfProgram.withLock { known in
          known.format = newValue
          return known.isUsed
        }
        guard isTooLate else { return }
        fatalError(
          """
          Defaults.PropertyListSuite.standardFormat was set after the suite was opened, possibly \
          by a key. Set it at launch, before any key is used.
          """)
      }
    }

    /// Whether this process keeps earlier changes, with their programs and origins, in the journals
    /// of its suites, for `DefaultsHistory`. Set it at launch.
    ///
    /// If it is false, the next rewrite of a journal by this process drops the earlier changes.
    public static var keepsHistory: Bool {
      get { PastChanges.areKept.load(ordering: .relaxed) }
      set { PastChanges.areKept.store(newValue, ordering: .relaxed) }
    }

    static var ofProgram: PropertyListSuite {
      let (suite, start) = program
      // Only the first caller does the remaining work. Other callers don't wait for it.
      if !isStarted.load(ordering: .relaxed),
        !isStarted.exchange(true, ordering: .acquiringAndReleasing)
      {
        start()
      }
      return suite
    }

    private static let isStarted = Atomic(false)

    /// The program's suite, and the work that remains after opening it. The work comes later, since
    /// an issue handler may access the suite.
    private static let program: (suite: PropertyListSuite, start: @Sendable () -> Void) = {
      do throws(SuiteError) {
        let file = try StoredFile()
        let format = formatOfProgram.withLock { known in
          known.isUsed = true
          return known.format
        }
        let (storage, start) = try OpenFiles.open(file, format: format, onIssue: nil)
        // This usually has no effect, but the environment may have changed the location of the
        // file.
        ProgramStorage.register(storage)
        return (PropertyListSuite(storage, in: file, isStandard: true), start)
      } catch {
        let obstacle = SuiteError(
          .inMemory, "Settings of this run won't be stored: \(error.reason)", path: error.path,
          underlying: error)
        let storage = StoredSuite(
          inMemory: [:], SuiteSupport(label: "standard"), because: obstacle)
        ProgramStorage.register(storage)
        let suite = PropertyListSuite(storage, in: nil, isStandard: true)
        return (suite, { storage.support.report(obstacle) })
      }
    }()

    /// Opens the suite with this name, which several programs of a user may share. The name
    /// replaces the program's name in the path of ``Suite/standard``.
    ///
    /// - Throws: `noLocation` if no folder can have the name or there is no home folder, and the
    ///   errors of the initializer with a URL.
    public convenience init(
      named name: String, format: PropertyListFormat? = nil,
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      try self.init(in: StoredFile(named: name), format: format, onIssue: onIssue)
    }

    /// Opens the suite in a file. A missing file is created, with its folders, after the first
    /// change.
    ///
    /// A damaged file is quarantined as `<name>.corrupt-<date>`, and the suite continues with the
    /// settings in the journal. With `repairsDamage: false`, for a file that people edit, opening
    /// throws `malformed` with the position of the mistake, and the file is unchanged. A running
    /// program keeps its settings, and doesn't export until the file is repaired.
    ///
    /// With `readOnly: true`, for a file that another user such as an administrator manages,
    /// neither the file nor anything next to it is written, regardless of permissions. Changes by
    /// other programs are visible and observed. A setter changes nothing and reports
    /// `unwritable`; `set(_:for:)`, `update` and `transaction` throw that error.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - format: The file's format. By default, a file keeps its format, and a new file is
    ///     binary.
    ///   - repairsDamage: Whether a damaged file is quarantined.
    ///   - isReadOnly: Whether the suite never writes.
    ///   - onIssue: Replaces ``Defaults/issueHandler``. If this process has already opened the
    ///     file with the same `readOnly`, `format`, `repairsDamage` and `onIssue` of the first
    ///     opening apply.
    /// - Throws: `unreadable` for the file, its folder or journal, and for the URL of a folder;
    ///   `noLocation` for a URL that isn't a file URL; `unsupportedLog` for a journal
    ///   of a newer version of the library; `malformed` for JSON, and for damage that must not be
    ///   repaired; `unrepresentable` if the format can't represent an entry.
    public convenience init(
      url: URL, format: PropertyListFormat? = nil, repairsDamage: Bool = true,
      readOnly isReadOnly: Bool = false, onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      let file = try StoredFile(url: url, readOnly: isReadOnly)
      try self.init(in: file, format: format, repairsDamage, onIssue: onIssue)
    }

    package convenience init(
      in file: StoredFile, format: PropertyListFormat?, custom: (any SuiteFileFormat)? = nil,
      _ repairsDamage: Bool = true, onIssue: (@Sendable (Issue) -> Void)?
    ) throws(SuiteError) {
      let (storage, start) = try OpenFiles.open(
        file, format: format, custom: custom, repairsDamage: repairsDamage, onIssue: onIssue)
      start()
      self.init(storage, in: file, isStandard: false)
    }

    private init(_ storage: StoredSuite, in file: StoredFile?, isStandard: Bool) {
      self.storage = storage
      self.isStandard = isStandard
      path = file?.path
    }

    /// Creates the `.standard` of a scope: a view of another suite.
    init(standingInBy suite: some Suite) {
      let storage = suite.storage(toBe: "the program's suite")
      self.storage = storage
      path = (suite as? PropertyListSuite)?.path ?? storage.derived?.base.filePath
      isStandard = true
    }

    /// Writes the file again in the format with which the suite was opened, even if it is up to
    /// date. For other processes it is an export like any other.
    package func rewrite() throws(SuiteError) {
      try (storage.persistence as? FileStore)?.rewrite()
      try storage.flush()
    }

    /// The state of the file, and how the suite got its entries.
    public var health: Health { storage.persistence.health }

    /// Stores all earlier changes to the given extent: in the journal, where they survive a power
    /// loss, or also in the file, for other programs to read.
    ///
    /// - Throws: The reason why a change can't be stored; `inMemory` for a ``Suite/standard``
    ///   without a file.
    public func flush(_ extent: FlushExtent) throws(SuiteError) { try storage.flush(extent) }
  }
}

extension Defaults.PropertyListSuite {
  /// Returns the current sizes of the property list and of the journal (`log`) in bytes; 0 for a
  /// missing file. The journal has all entries, too.
  ///
  /// - Throws: `unreadable` if a size can't be read, `inMemory` for a ``Suite/standard`` without a
  ///   file.
  public func fileSizes() throws(Defaults.SuiteError) -> (propertyList: Int, log: Int) {
    var sizes: [Int] = []
    for file in storage.persistence.files {
      sizes.append(try file.status()?.version.size ?? 0)
    }
    guard sizes.count == 2 else {
      throw SuiteError(.inMemory, "The suite has no file", suite: label)
    }
    return (sizes[0], sizes[1])
  }
}

extension Defaults.Suite where Self == Defaults.PropertyListSuite {
  /// The suite of this program.
  ///
  /// Its file is `${XDG_CONFIG_HOME:-$HOME/.config}/<identifier>/Defaults.plist` on Linux, and in
  /// the application support folder on Apple platforms. The identifier is the bundle identifier or,
  /// without one, the name of the executable, even if Linux has no `/proc`. If the file can't be
  /// read, it is unchanged, the suite works in memory, and an issue is reported.
  ///
  /// In ``Defaults/withSuite(_:_:)``, it is a view of the given suite. After ``Defaults/standard``
  /// was set, it is a view of that suite.
  public static var standard: Defaults.PropertyListSuite {
    (SuiteScope.current ?? SuiteScope.chosen)?.standard ?? .ofProgram
  }
}

extension Defaults.PropertyListSuite {
  /// Not available; the message says what to write.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a suite has a name, `(named: \"com.example.app\")`, or a file, `(url: URL(filePath: \"settings.plist\"))`"
  )
  public convenience init(_ text: String) { fatalError() }

  /// Not available; the message says what to write.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(*, unavailable, message: "a file is a URL: `(url: URL(filePath: \"settings.plist\"))`")
  public convenience init(path: String) throws { fatalError() }
}
