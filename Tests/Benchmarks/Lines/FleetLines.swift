import Defaults
import DefaultsEtcd
import Foundation
import Harness

/// The cost of a fleet's settings when the cluster is unreachable.
struct FleetLines {
  let fixtures: Fixtures

  private static let size = 1_000
  private static let prefix = "app/"
  /// No program listens at port 1.
  private static let endpoint = "http://127.0.0.1:1"

  var lines: [Line] {
    [
      .contest("open a fleet without the cluster, and first read", size: Self.size) {
        let original = try cache()
        return Contest(
          ours: opening(original) { url in
            try Defaults.EtcdSuite(
              endpoints: [URL(string: Self.endpoint)].compactMap(\.self), prefix: Self.prefix,
              keys: [],
              cache: url, onIssue: { _ in })
          },
          peers: [
            Peer(
              "ours, of a file", bar: .atMost(1.2),
              work: opening(original) { try Defaults.PropertyListSuite(url: $0) })
          ], limit: 20, isFixed: true)
      }
    ]
  }

  /// A cache as left by a program that was connected.
  private func cache() throws -> URL {
    let url = try fixtures.scratch.newFolder("fleet").appending(path: "cache.plist")
    let suite = try Defaults.PropertyListSuite(url: url)
    var entries = Dictionary(
      uniqueKeysWithValues: (0..<Self.size).map {
        ("n\($0)", Defaults.PropertyListValue.integer(Int64($0)))
      })
    entries["Defaults.fleet"] = [
      "prefix": .string(Self.prefix), "cluster": "1", "revision": 1_000,
    ]
    try suite.setEntries(entries)
    try suite.flush(.snapshot)
    let copy = try fixtures.scratch.newFolder("fleet").appending(path: "cache.plist")
    try FileManager.default.copyItem(at: url, to: copy)
    return copy
  }

  /// Opens copies of a file, reads one entry of each, and then closes them all.
  private func opening<Suite: Defaults.StoredSuiteView>(
    _ original: URL, _ open: @escaping (URL) throws -> Suite
  ) -> Work {
    { count in
      let folder = try fixtures.scratch.newFolder("fleet")
      defer { fixtures.scratch.remove(folder) }
      let urls = try (0..<count).map { number in
        let place = folder.appending(path: "\(number)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let url = place.appending(path: "cache.plist")
        try FileManager.default.copyItem(at: original, to: url)
        return url
      }
      var total = 0
      for url in urls {
        var suite: Suite?
        total += try time {
          let opened = try open(url)
          use(opened.integer(forKey: "n7"))
          suite = opened
        }
        withExtendedLifetime(suite) {}
      }
      return total
    }
  }
}
