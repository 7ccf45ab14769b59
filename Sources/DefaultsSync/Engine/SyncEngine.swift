import Defaults
import Foundation

/// Syncs a suite once: one pass after the other, each by one thread at a time.
///
/// A pass reads the files of the devices, records the suite's changes, joins the files, stores the
/// result next to the suite's file, publishes this device's file, and applies the values to the
/// suite. Its order makes it safe to be killed, or to lose power, at every step:
///
/// 1. The suite's changes are flushed before the state that has them is stored, with a
///    ``SuiteMark`` after them. So a change that the suite loses doesn't look like its removal.
/// 2. The state is stored, with what the suite has instead of each new value, before it is
///    published: a number of a change is never used twice.
/// 3. The suite's transaction, with a mark, is flushed before the state says that the suite has the
///    values.
package struct SyncEngine: Sendable {
  package struct Setup: Sendable {
    /// The suite whose entries are synced: the writable layer.
    package let suite: any Defaults.Suite
    /// Returns the synced keys by name.
    let keys: @Sendable () -> [String: SyncedKey]
    let transport: any Defaults.SyncTransport
    /// The suite's file.
    let file: StoredFile
    let machine: String
    let deviceName: String
    /// Returns the time in microseconds since 1970.
    let now: @Sendable () -> UInt64
    let randomNumber: @Sendable () -> UInt64

    package init(
      suite: any Defaults.Suite, keys: @escaping @Sendable () -> [String: SyncedKey],
      transport: any Defaults.SyncTransport, file: StoredFile, machine: String,
      deviceName: String, now: @escaping @Sendable () -> UInt64,
      randomNumber: @escaping @Sendable () -> UInt64
    ) {
      self.suite = suite
      self.keys = keys
      self.transport = transport
      self.file = file
      self.machine = machine
      self.deviceName = deviceName
      self.now = now
      self.randomNumber = randomNumber
    }

    /// The state of a new device.
    var newState: LocalState {
      LocalState(device: newID(), name: deviceName, machine: machine)
    }

    /// A new id for a device: 13 characters, so 64 random bits.
    func newID() -> String {
      let digits = String(randomNumber(), radix: 36)
      return String(repeating: "0", count: 13 - digits.count) + digits
    }
  }

  /// The result of a pass.
  package struct Report: Sendable {
    package var problems: [SuiteError] = []
    /// The reason why the stored state was treated as lost.
    package var damage: SuiteError?
    package var arrival = SyncArrival()
    /// The reason why the transport can't be reached, or why this device's settings can't be
    /// published.
    package var obstacle: SuiteError?
    /// Whether the transport can't be reached.
    var isOffline: Bool { obstacle.map { $0.code != .tooLargeToSync } ?? false }
    /// Whether no files were read, so that the problems of an earlier pass may still exist.
    var isWithoutFiles = false
    /// Whether this device's file was written.
    package var hasPublished = false
    /// The names of the settings that got new values.
    package var applied: Set<String> = []
    /// Whether the suite changed during the pass, so that another one is due.
    package var mustRepeat = false
    /// Whether this device's file wasn't written, since the last one is less than a second old.
    package var mustPublish = false

    /// Adds the results of another pass that this pass can't have.
    mutating func add(_ other: Report) {
      hasPublished = hasPublished || other.hasPublished
      damage = damage ?? other.damage
      arrival.isForgotten = arrival.isForgotten || other.arrival.isForgotten
    }
  }

  let setup: Setup
  /// The stored state, as this process knows it.
  package private(set) var local: LocalState?
  private var version: FileVersion?
  /// The results of all passes, also failed ones, since a result was last shown.
  package var unreported = Report()
  /// The names of all files of the last pass, also of those that can't be read.
  private var found: Set<String> = []
  /// The files of the last pass, by their names.
  private var decoded: [String: (data: Data, file: Result<DeviceFile, SuiteError>)] = [:]

  package init(_ setup: Setup) { self.setup = setup }

  private var store: StoredFile { setup.file.place(beside: ".sync") }

  /// Makes a pass. The caller holds the lock between processes.
  ///
  /// - Parameters:
  ///   - isUrgent: Whether this device's file is written even if the last one is less than a second
  ///     old.
  ///   - change: Changes the state first, such as by a decision of a person.
  package mutating func pass(
    isUrgent: Bool = true, until deadline: UInt64 = MonotonicClock.now(plus: .seconds(10)),
    _ change: (inout LocalState, SyncClock) -> Void = { _, _ in }
  ) throws(SuiteError) -> Report {
    var report = Report()
    defer { unreported.add(report) }
    try pass(isUrgent, until: deadline, change, &report)
    return report
  }

  private mutating func pass(
    _ isUrgent: Bool, until deadline: UInt64, _ change: (inout LocalState, SyncClock) -> Void,
    _ report: inout Report
  ) throws(SuiteError) {
    let clock = SyncClock(now: setup.now())
    let old = try load(&report)
    var new = old ?? setup.newState
    new.move(to: setup.machine, newID: setup.newID)
    new.state.devices[new.device]?.rename(setup.deviceName)
    let keys = setup.keys()
    new.learn(keys.compactMapValues(\.resolution))
    try setup.suite.refresh()
    let mark = try mark(until: deadline)
    let isComplete = mark.isComplete(for: new.mark)
    new.begin(with: mark)
    let observed = new.notice(try observe(keys, &report), clock)
    guard let files = files(&report) else {
      // Nothing is recorded before it is known which changes of this device the others have. The
      // suite has the changes, and their times are stored.
      if old.map(new.differs) ?? false { try save(new) }
      return
    }
    let isPresent =
      found.contains("\(new.device).json") || files.contains { $0.device == new.device }
    new.renewIfOutrun(by: files, isPresent: isPresent, newID: setup.newID)
    // After a loss, the suite gets a new mark, though its entries may be the same.
    let isChanged =
      new.record(observed, files, clock) || new.applied != old?.applied || !isComplete
    report.arrival = new.change(observed) { new in
      change(&new, clock)
      return new.take(files, clock, newID: setup.newID)
    }
    var content: Data?
    if new.mustPublish(over: files, clock) {
      if isUrgent || !new.hasPublished(within: 1_000_000, clock) {
        var published = new
        published.countFile(clock)
        // Before the file is written. Without a file to write, the next pass must not miss one.
        published.isPublished = true
        content = published.publication(&report)
        if content != nil { new = published }
      } else {
        report.mustPublish = true
      }
    }
    // The state must not refer to values that a power loss or damage undoes unnoticed.
    if isChanged {
      new.mark = new.mark.next
      try write(new.mark, until: deadline)
    }
    if content != nil || old.map(new.differs) ?? true {
      try save(new, content)
    } else {
      local = new
    }
    if let content {
      try publish(content, DeviceFile(device: new.device, state: new.state), files, &report)
    }
    try apply(new.wanted(observed), observed, keys, &report, until: deadline)
  }

  // MARK: - The stored state

  /// Reads the stored state unless this process knows it. A damaged one is treated as lost: this
  /// becomes a new device, which knows from the files what its predecessor published.
  private mutating func load(_ report: inout Report) throws(SuiteError) -> LocalState? {
    guard let content = try store.read() else {
      (local, version) = (nil, nil)
      return nil
    }
    if let local, content.version == version { return local }
    do throws(ConversionError) {
      local = try LocalState(content.data)
      version = content.version
    } catch {
      (local, version) = (nil, nil)
      guard !LocalState.isOfOtherVersion(content.data) else {
        throw SuiteError(
          .malformed,
          "Another version of the library wrote the state of the sync. Update this program",
          path: store.path)
      }
      report.damage = SuiteError(
        .malformed,
        "The state of the sync is damaged (\(error)). This device syncs as a new device",
        path: store.path)
    }
    return local
  }

  mutating func save(
    _ new: LocalState, _ content: Data? = nil
  ) throws(SuiteError) {
    let data: Data
    do throws(ConversionError) {
      data = try new.data(with: content)
    } catch {
      throw SuiteError(.unencodable, "The state of the sync can't be stored: \(error)")
    }
    // A damaged state, which this one replaces.
    if local == nil, let old = try store.read() { _ = try? store.setAside(old) }
    try store.replace(with: data)
    version = try store.read()?.version
    local = new
  }

  // MARK: - The transport

  /// Returns the files that can be read; nil if the transport can't be reached.
  private mutating func files(_ report: inout Report) -> [DeviceFile]? {
    let states: [Defaults.SyncedState]
    do {
      states = try setup.transport.states()
    } catch {
      report.obstacle = SuiteError(wrapping: error, .unreachable, suite: setup.suite.label)
      report.isWithoutFiles = true
      return nil
    }
    found = Set(states.map(\.name))
    var files: [DeviceFile] = []
    var next: [String: (data: Data, file: Result<DeviceFile, SuiteError>)] = [:]
    for state in states {
      switch state.content {
      case .failure(let problem): report.problems.append(problem)
      case .success(let data):
        var known = decoded[state.name]
        if known?.data != data { known = (data, Self.decode(data, named: state.name)) }
        next[state.name] = known
        switch known?.file {
        case .success(let file)?: files.append(file)
        case .failure(let problem)?: report.problems.append(problem)
        case nil: break
        }
      }
    }
    decoded = next
    return files
  }

  private static func decode(_ data: Data, named name: String) -> Result<DeviceFile, SuiteError> {
    do throws(ConversionError) {
      return .success(try DeviceFile(data))
    } catch {
      return .failure(.unreadState(name, error.description(in: data)))
    }
  }

  private mutating func publish(
    _ content: Data, _ file: DeviceFile, _ files: [DeviceFile], _ report: inout Report
  ) throws(SuiteError) {
    do {
      try setup.transport.put(content, of: file.device)
      report.hasPublished = true
      // In a shared folder it has this name, and need not be decoded.
      decoded["\(file.device).json"] = (content, .success(file))
    } catch {
      report.obstacle = SuiteError(wrapping: error, .unwritable, suite: setup.suite.label)
      guard var new = local else { return }
      // The next pass writes the file, and doesn't miss it.
      let own = files.first { $0.device == new.device }
      new.isPublished = own != nil
      new.state.devices[new.device]?.seen = own?.state.devices[new.device]?.seen ?? 0
      try save(new)
    }
  }
}
