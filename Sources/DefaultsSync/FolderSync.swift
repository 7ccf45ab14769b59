import Defaults
import Foundation

extension Defaults {
  /// Syncs settings with the person's other devices, through any folder that something else carries
  /// between them: Syncthing, Dropbox, a git checkout, a USB stick.
  ///
  /// ```swift
  /// extension Defaults.Keys {
  ///   static let theme = Key("theme", default: "light", .synced)
  ///   static let tags = Key<Set<String>>("tags", default: [], .synced(.union()))
  /// }
  /// let sync = try Defaults.FolderSync(folder: URL(filePath: "/home/anna/Sync/settings"))
  /// ```
  ///
  /// Keys with the trait ``Trait/synced`` take part. Secrets never do. Each device writes one file,
  /// `<folder>/<suite>/<device>.json`, and reads the files of the other devices. The ``SyncRule``
  /// of a setting decides between concurrent changes; by default, the newest change wins. Values of
  /// other devices arrive in one transaction, as a change with the source
  /// ``Change/Source/external`` and the origin `sync`, after a check by the key's coding and rules.
  ///
  /// This device's file is written within 50 ms after the last change of a burst, but no sooner
  /// than a second after the previous write. Only ``now()`` writes the file sooner. The folder is
  /// watched, and also checked each minute. A missing folder isn't an error: all changes are synced
  /// when the folder is back.
  ///
  /// The sync ends when the object is released. Several processes may sync one suite, and are one
  /// device. The file with the device's id is next to the suite's file, so a suite without a file
  /// can't be synced.
  public final class FolderSync: Sendable {
    let setup: SyncEngine.Setup
    /// The engine; nil while a thread makes a pass.
    private let engine: Monitor<SyncEngine?>
    let view = Lock(View())
    private let schedule = Lock(SyncSchedule())
    private let lane = BackgroundLane()
    private let watching = Lock(Watching())
    /// The supports of the suite that was passed to the initializer, and of its writable layer.
    private let supports: [SuiteSupport]
    /// The names of the keys that were passed to the initializer.
    private let furtherNames: Set<String>
    private let handleConflict: (@Sendable (SyncConflict) -> Void)?

    /// The public result of the last pass.
    struct View {
      var local: LocalState?
      var report = SyncEngine.Report()
      /// The time of the last pass that reached the transport.
      var date: Date?
      var problems: [SuiteError] = []
      var conflicts: Set<SyncConflict> = []
      /// The error of a later pass in the background.
      var failure: SuiteError?

      var allProblems: [SuiteError] { problems + [failure].compactMap(\.self) }
    }

    private struct Watching {
      var observation: (any Observation)?
      var watch: FolderWatcher.Watch?
    }

    /// Syncs a suite through a shared folder. The first pass begins at once, in the background.
    ///
    /// - Parameters:
    ///   - suite: The suite. Of a suite of layers, the writable layer is synced.
    ///   - folder: The shared folder. It isn't created, since it may be a disk that isn't mounted.
    ///   - name: The name of the suite's folder inside the shared folder. By default, the name of
    ///     the suite's file or, if that name is `Defaults.plist`, the name of the file's folder.
    ///     Two programs whose names are equal need different names here.
    ///   - keys: Further keys to sync, without the trait, such as those of a schema.
    ///   - onConflict: Called once for each new conflict of a setting with the rule
    ///     ``SyncRule/ask``, on a background thread or the one that calls ``now()``; see
    ///     ``resolve(_:with:)``.
    /// - Throws: `noLocation` if the URL isn't a file URL, the name can't be the name of a folder,
    ///   or the suite has no file.
    public convenience init(
      _ suite: some Suite, folder: URL, name: String? = nil, keys: [AnyKey] = [],
      onConflict: (@Sendable (SyncConflict) -> Void)? = nil
    ) throws(SuiteError) {
      guard let path = CanonicalPath.path(of: folder) else {
        throw SuiteError(.noLocation, "The folder isn't a file URL", path: folder.absoluteString)
      }
      let shared = try SharedFolder(path, suite: name ?? Self.name(of: suite))
      try self.init(suite, transport: shared, keys: keys, onConflict: onConflict)
      let watch = FolderWatcher.shared.watch(shared.folder, names: [""]) {
        [weak self] name, event in
        // While the folder can't be watched, this event comes twice a second.
        let isRepeated = event == .unknown && self?.isWatched == false
        if !isRepeated { self?.request(of: name) }
        return .news
      }
      watching.withLock { $0.watch = watch }
      // The first pass may have looked before the watch began.
      plan(at: MonotonicClock.now, for: .arrival)
    }

    /// Syncs a suite through any transport, which is asked each minute.
    ///
    /// - Parameters:
    ///   - suite: The suite. Of a suite of layers, the writable layer is synced.
    ///   - transport: The transport.
    ///   - keys: Further keys to sync, without the trait, such as those of a schema.
    ///   - onConflict: Called once for each new conflict; see
    ///     ``init(_:folder:name:keys:onConflict:)``.
    /// - Throws: `noLocation` if the suite has no file, next to which the sync stores its state.
    public init(
      _ suite: some Suite, transport: some SyncTransport, keys: [AnyKey] = [],
      onConflict: (@Sendable (SyncConflict) -> Void)? = nil
    ) throws(SuiteError) {
      // The keys of a suite of layers may be declared with it or with its writable layer.
      let isLayered = suite.support !== suite.writable.support
      let supports = isLayered ? [suite.support, suite.writable.support] : [suite.support]
      let suite = suite.writable
      guard let path = suite.stored?.filePath else {
        throw SuiteError(
          .noLocation, "A suite without a file can't be synced. Use a suite with a file",
          suite: suite.label)
      }
      let machine = Machine.current
      setup = SyncEngine.Setup(
        suite: suite, keys: { SyncedKey.all(of: supports, and: keys) },
        transport: transport, file: try StoredFile(path: path), machine: machine.id,
        deviceName: machine.name, now: { machineFileSystem.now },
        randomNumber: { machineFileSystem.randomNumber() })
      self.supports = supports
      engine = Monitor(SyncEngine(setup))
      handleConflict = onConflict
      furtherNames = Set(keys.flatMap(\.allNames))
      let observation = suite.observe(nil, options: .silent) { [weak self] change in
        self?.note(change)
      }
      watching.withLock { $0.observation = observation }
      suite.support.sync.withLock { $0 = WeakSync(sync: self) }
      for support in supports {
        support.whenMarked { [weak self] in
          guard let self else { return false }
          plan(at: MonotonicClock.now + Self.pause, for: .arrival)
          return true
        }
      }
      plan(at: MonotonicClock.now, for: .arrival)
      lookEachMinute()
    }

    /// Syncs now: publishes this device's changes and applies those that have arrived.
    ///
    /// Takes milliseconds. Must not be called in a transaction or a handler of the suite.
    ///
    /// - Throws: The reason why the suite, the state next to its file, or the folder can't be read
    ///   or written; `tooLargeToSync` if this device's settings aren't published; `locked` if
    ///   another process doesn't finish its sync within 10 seconds.
    public func now() throws(SuiteError) { try now { _, _ in } }

    /// Syncs now, with a change of the state.
    func now(_ change: (inout LocalState, SyncClock) -> Void) throws(SuiteError) {
      let report = try pass(isUrgent: true, change)
      if let obstacle = report.obstacle { throw obstacle }
    }

    private var isWatched: Bool { watching.withLock { $0.watch?.problem == nil } }

    // MARK: - Passes

    /// Makes a pass, and another one if the suite changed meanwhile.
    @discardableResult
    private func pass(
      isUrgent: Bool, _ change: (inout LocalState, SyncClock) -> Void = { _, _ in }
    ) throws(SuiteError) -> SyncEngine.Report {
      // All handlers are called after the pass, which holds locks.
      let (report, new) = try TransactionScope.postponingHandlers { () throws(SuiteError) in
        try passes(isUrgent, change, until: MonotonicClock.now(plus: .seconds(10)))
      }
      setup.suite.support.deliverExternal()
      for conflict in new { handleConflict?(conflict) }
      return report
    }

    private func passes(
      _ isUrgent: Bool, _ change: (inout LocalState, SyncClock) -> Void, until deadline: UInt64
    ) throws(SuiteError) -> (SyncEngine.Report, Set<SyncConflict>) {
      let taken = engine.wait(until: deadline, for: { $0 != nil }) { engine, _ in
        defer { engine = nil }
        return engine
      }
      guard var engine = taken else {
        throw SuiteError(
          .locked, "Another thread takes too long to sync these settings", suite: setup.suite.label)
      }
      defer {
        let end = engine
        self.engine.lock.withLock { $0 = end }
        self.engine.wakeAll()
      }
      let lock = try SyncLock.take(beside: setup.file, until: deadline)
      defer { if !Forking.isChild { lock.letGo() } }
      var report = try engine.pass(isUrgent: isUrgent, until: deadline, change)
      for _ in 0..<3 where report.mustRepeat {
        report = try engine.pass(isUrgent: isUrgent, until: deadline)
      }
      report.add(engine.unreported)
      engine.unreported = SyncEngine.Report()
      return (report, show(report, engine.local))
    }

    /// Shows the result of a pass, and returns the new conflicts. Called before the next pass
    /// begins, so that results are shown in order. Calls no handlers.
    private func show(_ report: SyncEngine.Report, _ local: LocalState?) -> Set<SyncConflict> {
      if report.hasPublished { schedule.withLock { $0.lastWrite = MonotonicClock.now } }
      let conflicts = local.map { Set($0.conflicts(setup.keys())) } ?? []
      let found = report.issues(local, conflicts, suite: setup.suite.label)
      let (problems, old, new) = view.withLock { view in
        let old = view
        // Whether the settings are too large is found out again when they are published.
        let mayRemain = report.isWithoutFiles || report.mustPublish
        let problems = mayRemain ? found.adding(view.problems) : found
        view = View(
          local: local, report: report, date: report.isOffline ? view.date : Date(),
          problems: problems, conflicts: conflicts)
        return (problems, old.allProblems, conflicts.subtracting(old.conflicts))
      }
      setup.suite.support.reportLater(problems, insteadOf: old)
      if report.mustRepeat { plan(at: MonotonicClock.now(plus: .milliseconds(100)), for: .arrival) }
      if report.mustPublish { plan(at: MonotonicClock.now + SyncSchedule.second, for: .change) }
      return new
    }

    private func passInBackground() {
      do throws(SuiteError) {
        try pass(isUrgent: false)
      } catch {
        let old = view.withLock { view in
          defer { view.failure = error }
          return view.failure
        }
        setup.suite.support.reportLater([error], insteadOf: [old].compactMap(\.self))
        setup.suite.support.deliverExternal()
      }
    }

    // MARK: - Schedule

    /// The delay of a pass after an event, in case more events follow.
    private static let pause: UInt64 = 10_000_000

    private func note(_ change: Defaults.Change) {
      // This sync made the change.
      if change.source == .external, change.origin == "sync" { return }
      let isSynced = change.entries.keys.contains { name in
        furtherNames.contains(name) || supports.contains { $0.isMarked(name) }
      }
      guard isSynced else { return }
      let now = MonotonicClock.now
      let time = max(now + Self.pause, schedule.withLock { $0.lastWrite } + SyncSchedule.second)
      plan(at: time, for: .change)
    }

    /// Requests a pass because of a file of the folder.
    private func request(of name: String) {
      // It is a temporary file.
      if name.hasPrefix(".") { return }
      if let device = view.withLock({ $0.local?.device }), name == "\(device).json" { return }
      plan(at: MonotonicClock.now + Self.pause, for: .arrival)
    }

    private func plan(at time: UInt64, for cause: SyncSchedule.Cause) {
      let now = MonotonicClock.now
      guard let delay = schedule.withLock({ $0.plan(at: time, for: cause, now: now) }) else {
        return
      }
      lane.perform(after: delay) { [weak self] in self?.runPlanned() }
    }

    private func runPlanned() {
      let (isDue, delay) = schedule.withLock { $0.takeDue(now: MonotonicClock.now) }
      if let delay { lane.perform(after: delay) { [weak self] in self?.runPlanned() } }
      if isDue { passInBackground() }
    }

    private func lookEachMinute() {
      lane.perform(after: 60) { [weak self] in
        guard let self else { return }
        passInBackground()
        lookEachMinute()
      }
    }

    /// The name of a suite's folder: that of its file, or of a `Defaults.plist`'s folder.
    private static func name(of suite: some Suite) -> String {
      guard let path = suite.writable.stored?.filePath else { return suite.label }
      let url = URL(filePath: path)
      let stem = url.deletingPathExtension().lastPathComponent
      return stem == "Defaults" ? url.deletingLastPathComponent().lastPathComponent : stem
    }
  }
}
