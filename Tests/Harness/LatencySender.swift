import Defaults
import Foundation

/// Sets values, or writes bytes, each as soon as the one before has arrived.
package struct LatencySender {
  private let folder: URL
  private let core: Int
  private let parent: Parent

  /// The kinds take turns in blocks, so that both see the machine in the same moods.
  private static let blockSize = 25
  static let patience = 5.0

  /// A sender on one core, whose input is what the listener answers.
  package init(folder: URL, core: Int, parent: Parent) {
    self.folder = folder
    self.core = core
    self.parent = parent
  }

  /// Tells the times of so many sets, and of about as many bare writes.
  package func run(count: Int) throws {
    try Core.tie(to: core)
    let files = try LatencyFiles(folder: folder)
    guard answer(to: LatencyFiles.ready, within: LineReader.limit) != nil else {
      throw HarnessError("The listener isn't ready")
    }
    // These warm up; they aren't counted.
    for _ in 0..<Self.blockSize {
      guard timeSet(files) != nil, timeBare(files) != nil else { return }
    }
    var sets: [Int] = [], bare: [Int] = []
    // After the first that doesn't arrive there is nothing to wait for.
    measuring: while sets.count < count {
      for _ in 0..<min(Self.blockSize, count - sets.count) {
        guard let time = timeSet(files) else { break measuring }
        sets.append(time)
      }
      for _ in 0..<Self.blockSize {
        guard let time = timeBare(files) else { break measuring }
        bare.append(time)
      }
    }
    for time in sets { parent.tell("set \(time)") }
    for time in bare { parent.tell("bare \(time)") }
  }

  /// Nanoseconds; nil if it doesn't arrive.
  private func timeSet(_ files: LatencyFiles) -> Int? {
    let start = MonotonicTime.now
    files.suite[files.key] = start
    return answer(to: start, within: Self.patience).map { $0 - start }
  }

  private func timeBare(_ files: LatencyFiles) -> Int? {
    let start = MonotonicTime.now
    files.bareFile.write("x")
    return answer(to: LatencyFiles.bare, within: Self.patience).map { $0 - start }
  }

  /// When the listener got a value; nil if it doesn't in time.
  private func answer(to value: Int, within seconds: Double) -> Int? {
    while let bytes = parent.receive(byteCount: LatencyFiles.messageSize, within: seconds) {
      let message = bytes.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: 8).map {
          bytes.loadUnaligned(fromByteOffset: $0, as: Int.self)
        }
      }
      if message.count == 2, message[0] == value { return message[1] }
    }
    return nil
  }
}
