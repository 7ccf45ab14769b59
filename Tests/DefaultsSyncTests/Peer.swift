import Defaults
@testable import DefaultsSync
import Foundation
import TestSupport
import Testing

/// A shared folder that calls closures before it is read and written.
struct HookedFolder: Defaults.SyncTransport {
  let shared: SharedFolder
  var willRead: @Sendable () throws -> Void = {}
  var willWrite: @Sendable () throws -> Void = {}

  func states() throws -> [Defaults.SyncedState] {
    try willRead()
    return try shared.states()
  }

  func put(_ state: Data, of device: String) throws {
    try willWrite()
    try shared.put(state, of: device)
  }
}

/// A device of the test: a suite in a file of its own, which is synced through the shared folder.
struct Peer {
  let suite: Defaults.PropertyListSuite
  let issues = IssueLog()
  let theme: Defaults.Key<String>
  let volume: Defaults.Key<Int>
  let tags: Defaults.Key<Set<String>>
  let answer: Defaults.Key<String>
  let local: Defaults.Key<String>
  let token: Defaults.Key<String?>

  /// Creates a folder for the devices of a test, and in it the one that they share.
  static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url("shared"), withIntermediateDirectories: false)
    return folder
  }

  init(_ url: URL) throws {
    suite = try Defaults.PropertyListSuite(url: url) { [issues] in issues.append($0) }
    theme = Defaults.Key("theme", default: "light", suite: suite, .synced)
    volume = Defaults.Key("volume", default: 5, suite: suite, .in(0...11), .synced(.max))
    tags = Defaults.Key("tags", default: [], suite: suite, .synced(.union()))
    answer = Defaults.Key("answer", default: "none", suite: suite, .synced(.ask))
    local = Defaults.Key("local", default: "", suite: suite)
    token = Defaults.Key("token", suite: suite, .secret, .synced)
  }

  /// The entries without the mark that the sync writes into the suite.
  var settings: [String: PropertyListValue] {
    suite.entries.filter { $0.key != "Defaults.sync" }
  }

  func sync(
    _ folder: TemporaryFolder, _ shared: String = "shared",
    onConflict: (@Sendable (Defaults.SyncConflict) -> Void)? = nil
  ) throws -> Defaults.FolderSync {
    try Defaults.FolderSync(
      suite, folder: folder.url(shared), name: "app", onConflict: onConflict)
  }

  /// Runs a body during which this device, whose sync also runs in the background, doesn't sync.
  func withoutSync(_ body: () throws -> Void) throws {
    let file = try StoredFile(path: #require(suite.url).path)
    let lock = try SyncLock.take(beside: file, until: MonotonicClock.now(plus: .seconds(60)))
    try withExtendedLifetime(lock) { try body() }
  }

  /// Waits until a setting has a value.
  func wait<Value: Equatable>(
    for value: Value, of key: Defaults.Key<Value>
  ) async where Value: Defaults.Serializable {
    for await current in Defaults.updates(key, initial: true) where current == value { return }
  }
}
