import Defaults
import DefaultsLayers
import Foundation
import Synchronization
import TestSupport
import Testing

/// Folders as Kubernetes mounts ConfigMaps and secrets: each file is a link through `..data`, a
/// link to a folder with one version of all files, which is exchanged by a rename.
@Suite("Volumes of Kubernetes as layers", .timeLimit(.aHang))
struct MountedVolumeTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("mount")
  }

  /// Publishes a version of all files as kubelet's AtomicWriter does.
  private func publish(_ version: Int, _ files: [String: String], removing old: Int?) throws {
    let data = "..2024_\(version)"
    try folder.makeFolder("mount/\(data)")
    for (name, text) in files { try folder.write(text, to: "mount/\(data)/\(name)") }
    try folder.link("mount/..data_tmp", to: data)
    #expect(rename(folder["mount/..data_tmp"], folder["mount/..data"]) == 0)
    for name in files.keys where (try? folder.type(of: "mount/\(name)")) == nil {
      try folder.link("mount/\(name)", to: "..data/\(name)")
    }
    if let old { try FileManager.default.removeItem(atPath: folder["mount/..2024_\(old)"]) }
  }

  private func suite(_ layer: Defaults.Layer) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(
      layer, .writable(Defaults.MemorySuite()), onIssue: { [issues] in issues.append($0) })
  }

  @Test("All settings of a new version of the volume change in one event")
  func exchange() async throws {
    try publish(1, ["host": "one", "port": "1"], removing: nil)
    let suite = try suite(.folder(folder.url("mount"), name: "config"))
    let host = Defaults.Key("host", default: "", suite: suite)
    let port = Defaults.Key<Int>("port", default: 0, suite: suite)
    #expect(suite[host] == "one" && suite[port] == 1)
    let changes = Log<Defaults.Change>()
    let (told, report) = AsyncStream.makeStream(of: Void.self)
    let observation = suite.observe(nil) { change in
      changes.append(change)
      report.yield()
    }
    var events = told.makeAsyncIterator()
    for version in 2...6 {
      try publish(
        version, ["host": "host \(version)", "port": "\(version)"], removing: version - 1)
      await events.next()
      #expect(changes.last?.names == ["host", "port"])
      #expect(changes.last?.layer == "config")
      #expect(suite[host] == "host \(version)" && suite[port] == version)
    }
    #expect(changes.count == 5)
    #expect(issues.count == 0)
    withExtendedLifetime(observation) {}
  }

  @Test("Settings of two versions of a volume are never mixed", arguments: [true, false])
  func consistency(isFolder: Bool) async throws {
    // Files of a ConfigMap are settings, or files of settings.
    let names = (0..<20).map { "s\($0)" }
    func files(_ version: Int) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: names.map {
          isFolder ? ($0, "\(version)") : ("\($0).json", "{\"\($0)\": \(version)}")
        })
    }
    try publish(0, files(0), removing: nil)
    let url = folder.url("mount")
    let suite = try suite(isFolder ? .folder(url) : .files(in: url))
    let keys = names.map { Defaults.Key<Int>($0, default: -1, suite: suite) }
    #expect(keys.allSatisfy { suite[$0] == 0 })
    let mixed = Mutex(0)
    let (told, report) = AsyncStream.makeStream(of: Int.self)
    let observation = suite.observe(nil) { change in
      let values = Set(change.entries.values.compactMap(\.new))
      if values.count != 1 || change.names.count != names.count { mixed.withLock { $0 += 1 } }
      if case .integer(let version)? = values.first { report.yield(Int(version)) }
    }
    let last = 50
    for version in 1...last {
      try publish(version, files(version), removing: version - 1)
      // Otherwise, the folder may change during each of the 20 attempts of a slow reader.
      guard version.isMultiple(of: 10) else { continue }
      for await seen in told where seen == version { break }
    }
    #expect(mixed.withLock { $0 } == 0)
    #expect(keys.allSatisfy { suite[$0] == last })
    #expect(issues.count == 0)
    withExtendedLifetime(observation) {}
  }
}
