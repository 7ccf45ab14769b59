import Foundation

/// Takes what comes through a pipe apart into lines.
package final class LineReader {
  private let source: Descriptor
  private let patience: Double
  private var buffer: [UInt8] = []
  /// Where the next line begins.
  private var position = 0
  private var isAtEnd = false

  /// A program that says nothing for so many seconds hangs, also on a machine that is busy.
  package static let limit = 300.0

  package init(_ source: Descriptor, patience: Double = limit) {
    self.source = source
    self.patience = patience
  }

  /// The next line, without its break; nil at the end, where an unfinished line doesn't count.
  /// Throws if none comes in time.
  package func next() throws -> String? {
    while true {
      if let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { position = end + 1 }
        return String(decoding: buffer[position..<end], as: UTF8.self)
      }
      guard !isAtEnd else { return nil }
      try fill()
    }
  }

  /// All lines up to the end.
  package func rest() throws -> [String] {
    var lines: [String] = []
    while let line = try next() { lines.append(line) }
    return lines
  }

  private func fill() throws {
    buffer.removeFirst(position)
    position = 0
    let count = try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { bytes in
      guard let count = source.read(into: bytes, within: patience) else {
        throw HarnessError("A program was silent for \(Int(patience)) s")
      }
      buffer += bytes[..<count]
      return count
    }
    isAtEnd = count == 0
  }
}
