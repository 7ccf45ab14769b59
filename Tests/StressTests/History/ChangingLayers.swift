import Defaults
import DefaultsLayers
import Foundation
import Synchronization

/// Layers around the suite of a process in the history campaign. They change constantly, but have
/// no valid values for the campaign's settings.
final class ChangingLayers: Sendable {
  /// The suite for the campaign.
  let suite: Defaults.LayeredSuite

  private let layers = [Layer(), Layer()]
  private let files: LayerFiles
  /// Keys known to the layers, so that the layers recognize their values as invalid.
  private let keys: [Defaults.Key<Int>]
  private let isOver = Atomic(false)
  private let end = DispatchSemaphore(value: 0)

  /// Creates layers, those of files in a new folder.
  init(around base: Defaults.StoredSuite, in folder: URL, seed: UInt64) throws {
    files = try LayerFiles(in: folder)
    let suite = try Defaults.LayeredSuite(
      .folder(files.secrets, isSecret: true), Defaults.Layer("above", layers[0]),
      .files(in: files.parts), .writable(base), Defaults.Layer("below", layers[1]),
      // Invalid values are intended here.
      onIssue: { _ in })
    self.suite = suite
    keys = HistorySettings.all.flatMap(HistorySettings.names).map {
      Defaults.Key<Int>($0, default: 0, suite: suite)
    }
    Thread.detachNewThread { [self] in
      var random = SeededGenerator(seed: seed, lane: 1_000)
      while !isOver.load(ordering: .relaxed) {
        if random.happens(percent: 80) {
          layers.randomElement(using: &random)?.change(using: &random)
        } else {
          files.change(using: &random)
        }
        usleep(UInt32.random(in: 0...2_000, using: &random))
      }
      end.signal()
    }
  }

  /// Ends the changes of the layers.
  func finish() {
    isOver.store(true, ordering: .relaxed)
    end.wait()
  }

  /// The names of entries that no other process uses.
  fileprivate static let noise = (0..<50).map { "noise\($0)" }

  /// A layer with random entries.
  private final class Layer: Defaults.LayerSource {
    private struct State {
      var entries: [String: Defaults.PropertyListValue] = [:]
      var changed: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Changes the entries: some names that no other process uses, and invalid values for the
    /// campaign's settings.
    func change(using random: inout SeededGenerator) {
      var entries: [String: Defaults.PropertyListValue] = [:]
      for name in ChangingLayers.noise where random.happens(percent: 50) {
        entries[name] = .integer(Int64.random(in: 0...9, using: &random))
      }
      for name in HistorySettings.all.flatMap(HistorySettings.names)
      where random.happens(percent: 50) {
        entries[name] = .string("no number")
      }
      let changed = state.withLock { [entries] state in
        state.entries = entries
        return state.changed
      }
      changed?()
    }

    func load() -> Defaults.LayerContent { .entries(state.withLock { $0.entries }) }

    func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
      state.withLock { $0.changed = changed }
      return nil
    }
  }
}

/// The files of the layers of one process: a folder with a file per setting, which is exchanged as
/// a volume of Kubernetes is, and one with several files of settings. Like the other layers, they
/// have no valid values for the campaign's settings.
private struct LayerFiles: Sendable {
  let secrets: URL
  let parts: URL
  private let names = HistorySettings.all.flatMap(HistorySettings.names)

  init(in folder: URL) throws {
    secrets = folder.appending(path: "secrets", directoryHint: .isDirectory)
    parts = folder.appending(path: "conf.d", directoryHint: .isDirectory)
    for folder in [secrets, parts] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    for name in names {
      try FileManager.default.createSymbolicLink(
        atPath: secrets.appending(path: name).path, withDestinationPath: "..data/\(name)")
    }
  }

  /// Changes some files. A failure, such as that of a full disk, leaves the files as they are.
  func change(using random: inout SeededGenerator) {
    if random.happens(percent: 50) {
      try? exchange(using: &random)
    } else {
      try? changePart(using: &random)
    }
  }

  private func exchange(using random: inout SeededGenerator) throws {
    let link = secrets.appending(path: "..data").path
    let old = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    let version = "..\(random.next())"
    let new = secrets.appending(path: version, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
    for name in names where random.happens(percent: 50) {
      try Data("no number".utf8).write(to: new.appending(path: name))
    }
    try FileManager.default.createSymbolicLink(
      atPath: link + "_tmp", withDestinationPath: version)
    guard rename(link + "_tmp", link) == 0 else { throw POSIXError(.EIO) }
    if let old { try FileManager.default.removeItem(at: secrets.appending(path: old)) }
  }

  private func changePart(using random: inout SeededGenerator) throws {
    let part = parts.appending(path: "\(Int.random(in: 0...4, using: &random)).json")
    if random.happens(percent: 25) { return try FileManager.default.removeItem(at: part) }
    var entries: [String: Defaults.PropertyListValue] = [:]
    for name in names where random.happens(percent: 50) { entries[name] = .string("no number") }
    for name in ChangingLayers.noise where random.happens(percent: 20) { entries[name] = 1 }
    let data = try Defaults.JSONFormat().encode(entries)
    // Some files are damaged, and some writes aren't atomic.
    let isWhole = random.happens(percent: 80)
    try data.prefix(isWhole ? data.count : data.count / 2)
      .write(to: part, options: random.happens(percent: 50) ? .atomic : [])
  }
}
