import Foundation
import Synchronization

extension Defaults {
  /// A suite that is kept in a property list file: the default backend.
  ///
  /// ```swift
  /// let shared = try Defaults.PropertyListSuite(named: "com.example.shared")
  /// shared[.quality] = 0.5
  /// try shared.flush()  // or don't: that is for power cuts
  /// ```
  ///
  /// **Durability.** When a setter, update or transaction returns, the change is in the journal
  /// next to the file: it survives the death of the process, and every other process on the file
  /// sees it, in one order. When ``Suite/flush()`` returns, it survives a power cut. Both cost the
  /// same in a large suite as in a small one.
  ///
  /// **The file** is complete, valid, and readable by every program that reads property lists. All
  /// settings are exported to it a second after a change (less often where that would take more
  /// than a twentieth of the time), at normal exit, when the suite is released, and by
  /// ``flush(_:)`` with `.snapshot`. It is never written in place: a crash leaves the old or the new
  /// file, whole. What another program writes into the file, or its removal, is noticed at once and
  /// merged name by name; where both sides changed a name, the file wins.
  ///
  /// **Next to the file** are `<name>.journal`, which has all settings and is also the lock (the
  /// engine's types call it the log), and `<name>.corrupt-<date>`, the last five damaged files that
  /// were quarantined. Deleting them while no program runs loses at most what isn't in the file yet.
  ///
  /// **Several processes.** Changes of other processes arrive by themselves (as soon as
  /// the suite has an observer, else from 50 ms after the opening on) and reach observers as
  /// ``Change/Source/external``, on a thread of the library that serves all suites, so don't block
  /// there, or on one that was writing at that instant. The lock is held for
  /// microseconds: bodies of transactions run without it, unless they were overtaken twice. Where a
  /// process was stopped with the lock, a set waits a second, then goes on in memory with an
  /// issue, and is stored as soon as the lock is free. An update or transaction waits 30 seconds,
  /// then throws `locked`. The file must lie on a local file system: network file systems don't
  /// tell of changes, and some ignore locks. A child that is forked without an exec reads what its
  /// parent had, and its writes throw `forked`.
  ///
  /// **Rights.** New files are binary, with mode 0600 in folders of mode 0700; an existing file
  /// keeps its format, mode, owner and group, and the files next to it get the same; but the journal
  /// is for those only who may write the file, since to open it is to be able to lock it. Who may
  /// only read the file sees what it has, without the journal. A symbolic link is followed, also when
  /// it comes to lead elsewhere. A hard link isn't: the other names keep the old content. Opening one
  /// file several times in a process, by whatever path, gives views of one state.
  ///
  /// **Other users' files.** Next to the file nothing is followed: a symbolic link, pipe or
  /// folder under one of the names above, or a file of a user who may not write the settings,
  /// makes opening throw, or changes wait in memory, until it is gone. It is left as it is.
  ///
  /// **Damage.** A file that can't be parsed is kept as `<name>.corrupt-<date>`; the suite takes all
  /// settings from the journal, an issue names the file, and ``health`` shows it. A file that can't be
  /// read is never touched: opening throws. One that can't be written opens, with an issue; changes
  /// stay in memory, and are stored as soon as that works again.
  public final class PropertyListSuite: StoredSuiteView {
    /// What holds the entries; views of one file share it.
    @_documentation(visibility: internal)
    public let storage: StoredSuite

    /// The file, with all symbolic links resolved as they lead now; it need not exist before the
    /// first save. nil for ``Suite/standard`` where that works in memory.
    public var url: URL? {
      ((storage.persistence as? FileStore)?.file.path ?? path).map { URL(filePath: $0) }
    }

    private let path: String?

    /// Whether this is what `.standard` gave, so that keys declared with it belong to whatever
    /// `.standard` is when they are used.
    let isStandard: Bool

    private static let formatOfProgram = Lock<(format: PropertyListFormat?, isUsed: Bool)>(
      (nil, false))

    /// The format in which the file of ``Suite/standard`` is written. nil, which it is at first,
    /// keeps that of the file, and makes a new file binary.
    ///
    /// Set it at launch, before any key of `.standard` is used; it traps afterwards.
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
          the format of Defaults.PropertyListSuite.standard was set after the suite was opened, by \
          a key perhaps; set it at launch, before
          """)
      }
    }

    static var ofProgram: PropertyListSuite {
      let (suite, start) = program
      start.run()
      return suite
    }

    /// The program's suite, and what there is to do once it is there: a handler of an issue
    /// then may ask for the suite.
    private static let program: (suite: PropertyListSuite, start: FirstCall) = {
      do throws(SuiteError) {
        let file = try StoredFile()
        let format = formatOfProgram.withLock { known in
          known.isUsed = true
          return known.format
        }
        let (storage, start) = try OpenFiles.open(file, format: format, onIssue: nil)
        // Usually done; its place may have changed with the environment.
        ProgramStorage.register(storage)
        return (PropertyListSuite(storage, in: file, isStandard: true), FirstCall(start))
      } catch {
        let obstacle = SuiteError(
          .inMemory, "Settings of this run won't be kept: \(error.reason)", path: error.path,
          underlying: error)
        let suite = PropertyListSuite(inMemoryBecause: obstacle)
        return (suite, FirstCall { suite.storage.support.report(obstacle) })
      }
    }()

    /// The suite of this name, which several programs of a user may share: like ``Suite/standard``,
    /// with the name in place of the identifier.
    ///
    /// Throws `noLocation` if the name is empty or no name of a folder, or if there is no home
    /// folder, and else what ``init(url:format:repairsDamage:readOnly:onIssue:)`` throws.
    public convenience init(
      named name: String, format: PropertyListFormat? = nil,
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      try self.init(in: StoredFile(named: name), format: format, onIssue: onIssue)
    }

    /// The suite in a file, which is read now; one that isn't there is made, with its folders,
    /// after the first change.
    ///
    /// Without a format, that of the file is kept, and a new file is binary. `onIssue` takes the
    /// suite's issues in place of ``Defaults/issueHandler``. These count only for the first of
    /// several openings of one file. Throws `unreadable` if the file, its folder or its journal is,
    /// and `unrepresentable` if the file holds what the format can't.
    ///
    /// A damaged file is quarantined as `<name>.corrupt-<date>`, and the suite goes on with the log,
    /// which has all settings. With `repairsDamage: false`, for a file that people write, opening
    /// throws `malformed` with the place of the mistake, and the file stays as it is; a running
    /// program keeps its settings, and doesn't export before the file is repaired.
    ///
    /// A file that another user keeps, such as an administrator, is opened with `readOnly: true`.
    /// Nothing is written then, neither the file nor anything next to it, whatever the program may
    /// do; what other programs change is seen and observed. A setter leaves the setting as it is and
    /// reports `unwritable`, which `update` and `transaction` throw, and `set(_:for:)` for a value.
    public convenience init(
      url: URL, format: PropertyListFormat? = nil, repairsDamage: Bool = true,
      readOnly isReadOnly: Bool = false, onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      let disk = LocalFileSystem()
      let file = try StoredFile(url: url, on: isReadOnly ? ReadOnlyFileSystem(base: disk) : disk)
      try self.init(in: file, format: format, repairsDamage, onIssue: onIssue)
    }

    private convenience init(
      in file: StoredFile, format: PropertyListFormat?, _ repairsDamage: Bool = true,
      onIssue: (@Sendable (Issue) -> Void)?
    ) throws(SuiteError) {
      let (storage, start) = try OpenFiles.open(
        file, format: format, repairsDamage: repairsDamage, onIssue: onIssue)
      start()
      self.init(storage, in: file, isStandard: false)
    }

    private init(_ storage: StoredSuite, in file: StoredFile, isStandard: Bool) {
      self.storage = storage
      self.isStandard = isStandard
      path = file.path
    }

    private init(inMemoryBecause obstacle: SuiteError) {
      storage = StoredSuite(
        inMemory: [:], SuiteSupport(label: "standard"), because: obstacle)
      ProgramStorage.register(storage)
      path = nil
      isStandard = true
    }

    /// What `.standard` is in a scope: the entries of another suite.
    init(standingInBy suite: some Suite) {
      let storage = suite.storage(toBe: "the program's suite")
      self.storage = storage
      path = (suite as? PropertyListSuite)?.path ?? storage.derived?.base.filePath
      isStandard = true
    }

    /// Writes the file again in the format with which the suite was opened, also if it has everything
    /// already; for those who have it open it is a snapshot like any other.
    package func rewrite() throws(SuiteError) {
      try (storage.persistence as? FileStore)?.rewrite()
      try storage.flush()
    }

    /// How the file is, and how the suite got its entries.
    public var health: Health { storage.persistence.health }

    /// Stores what was changed before the call, as far as that is asked for: in the journal, where
    /// it survives a power cut, or in the file, where other programs see it. Throws what prevents
    /// it, and `inMemory` for a ``Suite/standard`` that has no file.
    public func flush(_ extent: FlushExtent) throws(SuiteError) {
      try storage.flush(extent)
    }
  }
}

extension Defaults.PropertyListSuite {
  /// Returns the present sizes of the files in bytes: of the property list, and of the log, which has
  /// all entries. A file that isn't there counts as 0.
  ///
  /// - Throws: `unreadable` if the system doesn't tell, and `inMemory` for a ``Suite/standard`` that
  ///   has no file.
  public func fileSizes() throws(Defaults.SuiteError) -> (propertyList: Int, log: Int) {
    var sizes: [Int] = []
    for file in try storage.persistence.files {
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
  /// It is `${XDG_CONFIG_HOME:-$HOME/.config}/<identifier>/Defaults.plist` on Linux and in the
  /// application support folder on Apple platforms; the identifier is that of the bundle, else the
  /// name of the executable, also where Linux has no `/proc`. If the file can't be read, the suite
  /// works in memory, nothing is touched, and an issue says so.
  ///
  /// Inside of ``Defaults/withSuite(_:_:)`` it is a view of the suite that was given there, and after
  /// ``Defaults/standard`` was set, of that one.
  public static var standard: Defaults.PropertyListSuite {
    SuiteScope.current?.standard ?? StandardSuite.chosen?.view ?? .ofProgram
  }
}

/// Something that is done once, by the first caller; other callers don't wait for it.
private final class FirstCall: Sendable {
  private let body: @Sendable () -> Void
  private let wasMade = Atomic(false)

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run() {
    if wasMade.load(ordering: .relaxed) { return }
    if !wasMade.exchange(true, ordering: .acquiringAndReleasing) { body() }
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
