import Defaults
import DefaultsSync
import Foundation
import TestSupport
import Testing

@Suite("Passes of a sync")
struct SyncEngineTests {
  private let folder: TemporaryFolder
  private let peer: Peer
  private let time = Log<UInt64>()

  init() throws {
    folder = try Peer.folder()
    peer = try Peer(folder.url("a.plist"))
    time.append(1_795_000_000_000_000)
  }

  /// A transport whose states can be read, and which can't be written.
  private struct ReadOnlyTransport: Defaults.SyncTransport {
    func states() -> [Defaults.SyncedState] { [] }
    func put(_ state: Data, of device: String) throws { throw CocoaError(.fileWriteNoPermission) }
  }

  private func engine(
    _ transport: (any Defaults.SyncTransport)? = nil, of peer: Peer? = nil,
    keys: [Defaults.AnyKey]? = nil
  ) throws -> SyncEngine {
    let (suite, time) = ((peer ?? self.peer).suite, time)
    return SyncEngine(
      SyncEngine.Setup(
        suite: suite,
        keys: { SyncedKey.all(of: keys == nil ? [suite.support] : [], and: keys ?? []) },
        transport: try transport ?? SharedFolder(folder["shared"], suite: "app"),
        file: try StoredFile(path: #require(suite.url).path), machine: "m", deviceName: "desk",
        now: { time.all.last ?? 0 }, randomNumber: { machineFileSystem.randomNumber() }))
  }

  @Test("A sync pass that isn't urgent doesn't write the device file again within a second")
  func pause() throws {
    var engine = try engine()
    let start = try #require(time.all.last)
    #expect(try engine.pass(isUrgent: false).hasPublished)
    peer.suite[peer.theme] = "dark"
    time.append(start + 999_999)
    var report = try engine.pass(isUrgent: false)
    #expect(!report.hasPublished && report.mustPublish)
    time.append(start + 1_000_000)
    report = try engine.pass(isUrgent: false)
    #expect(report.hasPublished && !report.mustPublish)
    peer.suite[peer.theme] = "blue"
    #expect(try engine.pass().hasPublished)
  }

  @Test("A program that runs once a day discards a removal that all devices know after a month")
  func dailyRuns() throws {
    let start = try #require(time.all.last)
    peer.suite[peer.theme] = "dark"
    var first = try engine()
    _ = try first.pass()
    peer.theme.reset()
    for day in 0..<34 {
      time.append(start + UInt64(day) * 86_400_000_000)
      var engine = try engine()
      _ = try engine.pass()
      let isKept = try #require(engine.local).state.entries["theme"] != nil
      if day < 30 { #expect(isKept) } else if day > 31 { #expect(!isKept) }
    }
  }

  @Test("A program whose key has no trait keeps the merge rule that another program's key has")
  func keyWithoutTrait() throws {
    let plain = Defaults.Key("volume", default: 5, suite: peer.suite)
    var (first, second) = (try engine(keys: [peer.volume]), try engine(keys: [plain]))
    for _ in 0..<2 {
      _ = try first.pass()
      _ = try second.pass()
      #expect(second.local?.rules == ["volume": .max])
    }
  }

  @Test("A device whose settings are too large to publish keeps its id")
  func tooLarge() throws {
    var engine = try engine()
    peer.suite[peer.theme] = String(repeating: "x", count: 1_100_000)
    var ids: Set<String> = []
    for _ in 0..<3 {
      #expect(try engine.pass().obstacle?.code == .tooLargeToSync)
      ids.insert(try #require(engine.local).device)
    }
    let devices = try #require(engine.local).state.devices
    #expect(ids.count == 1 && devices.count == 1 && devices.values.first?.seen == 0)
  }

  @Test("A device whose file can't be written keeps its id")
  func unwritable() throws {
    var engine = try engine(ReadOnlyTransport())
    for _ in 0..<3 { #expect(try engine.pass().obstacle?.code == .unwritable) }
    #expect(engine.local?.state.devices.count == 1)
  }

  @Test("A pass writes the weekly device file that an earlier pass couldn't write")
  func failedHeartbeat() throws {
    let isFull = Lock(false)
    let transport = HookedFolder(
      shared: try SharedFolder(folder["shared"], suite: "app"),
      willWrite: { if isFull.withLock({ $0 }) { throw CocoaError(.fileWriteOutOfSpace) } })
    var engine = try engine(transport)
    #expect(try engine.pass().hasPublished)
    let written = engine.local?.state.devices.values.first?.seen
    time.append(try #require(time.all.last) + 8 * 86_400_000_000)
    _ = isFull.exchange(true)
    #expect(try engine.pass().obstacle?.code == .unwritable)
    #expect(engine.local?.state.devices.values.first?.seen == written)
    _ = isFull.exchange(false)
    #expect(try engine.pass().hasPublished)
    #expect(try !engine.pass().hasPublished)
  }

  /// Lets a value of another device arrive while another process holds the suite's lock.
  private func passWhileSuiteIsLocked(
    _ engine: inout SyncEngine, after change: (Peer) -> Void = { $0.suite[$0.theme] = "blue" }
  ) throws -> SuiteError? {
    time.append(machineFileSystem.now)
    let other = try Peer(folder.url("b.plist"))
    let sync = try other.sync(folder)
    try sync.now()
    change(other)
    try sync.now()
    let journal = try StoredFile(path: folder["a.plist"]).place(beside: ".journal")
    let lock = try journal.fileSystem.open(journal.path, .update)
    #expect(try lock.tryLock())
    return withExtendedLifetime(lock) {
      #expect(throws: SuiteError.self) { try engine.pass(until: MonotonicClock.now) }
    }
  }

  @Test("A pass throws at its deadline if another process holds the lock of the suite")
  func deadline() throws {
    var engine = try engine()
    _ = try engine.pass()
    let start = MonotonicClock.now
    #expect(try passWhileSuiteIsLocked(&engine)?.code == .locked)
    #expect(MonotonicClock.now - start < 29_000_000_000)
    _ = try engine.pass()
    #expect(peer.suite[peer.theme] == "blue")
  }

  @Test("A removal by another device stays if the journal loses changes that weren't synced")
  func lostEnd() throws {
    var engine = try engine()
    peer.suite[peer.tags] = ["x"]
    _ = try engine.pass()
    try peer.suite.flush(.snapshot)
    let exported = try Data(contentsOf: folder.url("a.plist"))
    #expect(try passWhileSuiteIsLocked(&engine, after: { $0.tags.reset() })?.code == .locked)
    peer.suite[peer.local] = "first"
    peer.suite[peer.local] = "second"
    var bytes = try Data(contentsOf: folder.url("a.plist.journal"))
    let change = try #require(bytes.range(of: Data("first".utf8)))
    bytes[change.lowerBound] ^= 1
    try exported.write(to: folder.url("c.plist"))
    try bytes.write(to: folder.url("c.plist.journal"))
    try FileManager.default.copyItem(
      at: folder.url("a.plist.sync"), to: folder.url("c.plist.sync"))
    let restarted = try Peer(folder.url("c.plist"))
    #expect(restarted.issues.codes == [.malformed])
    #expect(restarted.suite.contains("tags") && restarted.suite[restarted.local].isEmpty)
    var next = try self.engine(of: restarted)
    _ = try next.pass()
    #expect(!restarted.suite.contains("tags"))
  }

  @Test("Damage of the state that was found by a failed pass is reported later, and a copy is kept")
  func damage() throws {
    var engine = try engine()
    _ = try engine.pass()
    try Data("damaged".utf8).write(to: folder.url("a.plist.sync"))
    #expect(try passWhileSuiteIsLocked(&engine)?.code == .locked)
    #expect(engine.unreported.damage?.code == .malformed)
    _ = try engine.pass()
    #expect(engine.unreported.damage?.code == .malformed)
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("a.plist.sync.corrupt-") }
    #expect(copies.count == 1)
    for copy in copies {
      #expect(try Data(contentsOf: folder.url(copy)) == Data("damaged".utf8))
    }
  }
}
