import Defaults
import DefaultsSync
import Foundation
import Harness

/// The times of a sync with other devices.
struct SyncLines {
  let fixtures: Fixtures

  private static let size = 1_000
  private static let devices = 10

  var lines: [Line] { [publishing, burst, joining, without] }

  private static func names() -> [String] { (0..<size).map { "setting.\($0)" } }

  /// A suite in a new folder, which is synced through the same folder.
  private func synced(
    _ name: String
  ) throws -> (
    folder: URL, suite: Defaults.PropertyListSuite, keys: [Defaults.Key<Int>],
    sync: Defaults.FolderSync
  ) {
    let folder = try fixtures.scratch.newFolder(name)
    let suite = try Defaults.PropertyListSuite(url: folder.appending(path: "suite.plist"))
    let keys = Self.names().map { Defaults.Key($0, default: 0, suite: suite) }
    let sync = try Defaults.FolderSync(suite, folder: folder, name: "app", keys: keys)
    try sync.now()
    return (folder, suite, keys, sync)
  }

  /// A change of 1,000 settings, from the set to the file of the device, on disk.
  private var publishing: Line {
    let name = "1,000 changed settings in the file of the device"
    return Line(name: name, size: Self.size) { rounds in
      let (_, suite, keys, sync) = try synced("sync")
      let times = try (1...5 * rounds).map { number in
        try suite.transaction { draft in
          for key in keys { draft[key] = number }
        }
        return try time { try sync.now() }
      }
      return [Self.row(name, times)]
    }
  }

  /// The last of 1,000 single changes, until the file of the device has it.
  private var burst: Line {
    let name = "the last of 1,000 single changes in the file of the device"
    return Line(name: name, size: Self.size) { rounds in
      let (folder, suite, keys, sync) = try synced("burst")
      let id = sync.devices.first?.id ?? ""
      let file = folder.appending(path: "app/\(id).json")
      let times = try (1...3 * rounds).map { number in
        // The file is written once a second at most.
        usleep(1_200_000)
        for key in keys { suite[key] = number }
        let end = Data("\"value\":\(number),".utf8)
        let start = MonotonicTime.now
        while true {
          let content = try Data(contentsOf: file)
          let text = String(decoding: content, as: UTF8.self)
          if content.range(of: end) != nil,
            text.components(separatedBy: "\"value\":\(number),").count > Self.size
          {
            return Int(MonotonicTime.now - start)
          }
          usleep(500)
        }
      }
      return [Self.row(name, times)]
    }
  }

  /// A join of the files of 10 devices with 1,000 settings each, which no device knows yet.
  private var joining: Line {
    let name = "join of 10 devices with 1,000 settings each"
    return Line(name: name, size: Self.size) { rounds in
      let clock = SyncClock(now: machineFileSystem.now)
      let files = (0..<Self.devices).map { device -> Data in
        let id = "device\(device)"
        var state = SyncState()
        state.devices[id] = SyncDevice(name: id)
        for (index, name) in Self.names().enumerated() {
          state.change(
            name, to: .set(.integer(Int64(device))), by: id, at: clock.now - UInt64(index), clock)
        }
        return DeviceFile(device: id, state: state).data
      }
      var reading: [Int] = []
      let times = try (1...5 * rounds).map { _ in
        var states: [DeviceFile] = []
        reading.append(try time { states = try files.map { try DeviceFile($0) } })
        return time {
          var state = SyncState()
          _ = state.take(states, by: "other", clock)
        }
      }
      return [Self.row(name, times), Self.row("reading the files of that join", reading, bar: nil)]
    }
  }

  /// A set in a suite that isn't synced, while another one of the process is.
  private var without: Line {
    .contest("set of a changed Int while another suite is synced", size: Self.size) {
      let suite = try Defaults.PropertyListSuite(
        url: fixtures.scratch.newFolder("unsynced").appending(path: "suite.plist"))
      let key = Defaults.Key("count", default: 0, suite: suite)
      let numbers = Counter()
      let set = { (count: Int) in time { for _ in 0..<count { suite[key] = numbers.next() } } }
      let other = try Defaults.PropertyListSuite(
        url: fixtures.scratch.newFolder("synced").appending(path: "suite.plist"))
      let synced = Defaults.Key("count", default: 0, suite: other)
      return Contest(
        ours: { count in
          let folder = try fixtures.scratch.newFolder("shared")
          let sync = try Defaults.FolderSync(other, folder: folder, name: "app", keys: [synced])
          // The first pass, in the background, ends before the second of these.
          for _ in 0..<2 { try sync.now() }
          return withExtendedLifetime(sync) { set(count) }
        },
        peers: [Peer("no suite is synced", bar: .faster(0.9), work: { set($0) })],
        limit: 20_000, roundLimit: 7)
    }
  }

  private static func row(_ name: String, _ times: [Int], bar: Bar? = .faster(1)) -> Row {
    let sorted = times.sorted()
    return Row(
      line: name, size: size, ours: Double(sorted[sorted.count / 2]), peer: 50_000_000,
      peerName: "50 ms", unit: .nanoseconds, bar: bar)
  }
}
