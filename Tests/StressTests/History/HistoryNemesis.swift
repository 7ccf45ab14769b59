import Defaults
import Foundation
import Harness
import Synchronization

/// Causes failures for the processes of the history campaign.
struct HistoryNemesis: Sendable {
  enum Deed: String, CaseIterable, Sendable {
    /// A process is stopped for a while, perhaps with the lock.
    case stop
    /// The journal is deleted.
    case delete
    /// The journal is renamed.
    case rename
    /// A text editor rewrites the file, and changes a setting that no process writes.
    case edit
    /// The disk is full for a while.
    case fill
    /// The folder is replaced by a slightly older copy of itself.
    case restore
  }

  let deeds: [Deed]
  /// The settings file.
  let file: URL
  /// The processes, none of which has been waited for.
  let processes: [pid_t]
  private var random: SeededGenerator
  /// The number of times of each deed.
  private(set) var done: [Deed: Int] = [:]
  /// The last value that the editor wrote.
  private(set) var theme: Int64 = 0
  private(set) var problems: [String] = []

  init(_ deeds: [Deed], at file: URL, against processes: [pid_t], seed: UInt64) {
    self.deeds = deeds
    self.file = file
    self.processes = processes
    random = SeededGenerator(seed: seed, lane: 99)
  }

  /// Does one of the deeds, and undoes it if necessary.
  mutating func act() {
    guard let deed = deeds.randomElement(using: &random) else { return }
    do {
      switch deed {
      case .stop: stop()
      case .delete: try FileManager.default.removeItem(at: journal)
      case .rename: try rename()
      case .edit: try edit()
      case .fill: try fill()
      case .restore: try restore()
      }
      done[deed, default: 0] += 1
    } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
      // The file doesn't exist at the moment.
    } catch {
      problems.append("the nemesis failed to \(deed.rawValue): \(error)")
    }
    pause(milliseconds: 1...30)
  }

  private var folder: URL { file.deletingLastPathComponent() }
  private var journal: URL { folder.appending(path: file.lastPathComponent + ".journal") }

  private mutating func pause(milliseconds: ClosedRange<UInt32>) {
    usleep(UInt32.random(in: milliseconds, using: &random) * 1_000)
  }

  private mutating func stop() {
    guard let process = processes.randomElement(using: &random) else { return }
    kill(process, SIGSTOP)
    // Sometimes longer than the timeout of a lock.
    pause(milliseconds: random.happens(percent: 5) ? 1_200...2_000 : 5...100)
    kill(process, SIGCONT)
  }

  private mutating func rename() throws {
    let away = folder.appending(path: "away")
    try? FileManager.default.removeItem(at: away)
    try FileManager.default.moveItem(at: journal, to: away)
  }

  private mutating func edit() throws {
    let content = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: file), format: nil)
    guard var entries = content as? [String: Any] else { return }
    pause(milliseconds: 0...3)
    entries[HistorySettings.theme] = theme + 1
    let temporary = folder.appending(path: "edited")
    try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
      .write(to: temporary)
    // `moveItem` doesn't replace a file.
    guard Foundation.rename(temporary.path, file.path) == 0 else { throw POSIXError(.EIO) }
    theme += 1
  }

  private mutating func fill() throws {
    let ballast = folder.appending(path: "ballast")
    let descriptor = Descriptor(open(ballast.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    let bytes = [UInt8](repeating: 0, count: 1 << 16)
    for size in [bytes.count, 4_096] {
      while bytes.withUnsafeBytes({
        descriptor.write(UnsafeRawBufferPointer(rebasing: $0.prefix(size)))
      }) {}
    }
    pause(milliseconds: 5...60)
    try FileManager.default.removeItem(at: ballast)
  }

  private mutating func restore() throws {
    let copy = folder.path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try FileManager.default.createDirectory(
      atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let content = try Data(contentsOf: folder.appending(path: name))
      try content.write(to: URL(filePath: copy).appending(path: name))
    }
    pause(milliseconds: 1...20)
    // In one step, since a process could create the folder in between.
    try machineFileSystem.exchange(copy, folder.path)
  }
}

/// Runs a nemesis on its own thread until `finish`.
final class NemesisThread: Sendable {
  private let nemesis: Mutex<HistoryNemesis>
  private let isOver = Atomic(false)
  private let end = DispatchSemaphore(value: 0)

  init(_ nemesis: HistoryNemesis) {
    self.nemesis = Mutex(nemesis)
    Thread.detachNewThread { [self] in
      self.nemesis.withLock { nemesis in
        while !isOver.load(ordering: .relaxed), !nemesis.deeds.isEmpty { nemesis.act() }
      }
      end.signal()
    }
  }

  /// Ends the nemesis and returns it.
  func finish() -> HistoryNemesis {
    isOver.store(true, ordering: .relaxed)
    end.wait()
    return nemesis.withLock { $0 }
  }
}
