import Defaults
import Foundation

/// Sets values or writes bytes, each as soon as the previous one has arrived.
package struct LatencySender {
  private let folder: URL
  private let core: Int
  private let parent: Parent

  /// Both kinds alternate in blocks, so that changes of the machine's speed affect both.
  private static let blockSize = 25
  static let patience = 5.0

  /// Creates a sender on one core. Its input is the listener's output.
  package init(folder: URL, core: Int, parent: Parent) {
    self.folder = folder
    self.core = core
    self.parent = parent
  }

  /// Prints the times of sets, and of about as many bare writes.
  package func run(count: Int) throws {
    try Core.tie(to: core)
    let files = try LatencyFiles(folder: folder)
    guard answer(to: LatencyFiles.ready, within: LineReader.limit) != nil else {
      throw HarnessError("The listener isn't ready")
    }
    // Warms up without counting.
    for _ in 0..<Self.blockSize {
      guard timeSet(files) != nil, timeBare(files) != nil else { return }
    }
    var sets: [Int] = [], bare: [Int] = []
    // After the first loss, further values won't arrive either.
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

  /// The time in nanoseconds; nil if the value doesn't arrive.
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

  /// The time at which the listener received a value; nil after a timeout.
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
