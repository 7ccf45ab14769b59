import Foundation

/// Splits the data of a pipe into lines.
package final class LineReader {
  private let source: Descriptor
  private let timeout: Double
  private var buffer: [UInt8] = []
  /// The start of the next line.
  private var position = 0
  private var isAtEnd = false

  /// The number of seconds without output after which a program hangs, even on a busy machine.
  package static let limit = 300.0

  package init(_ source: Descriptor, patience: Double = limit) {
    self.source = source
    timeout = patience
  }

  /// The next line without its line break; nil at the end, which discards an unfinished line.
  /// Throws if no line arrives in time.
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
      guard let count = source.read(into: bytes, within: timeout) else {
        throw HarnessError("A program printed nothing for \(Int(timeout)) s")
      }
      buffer += bytes[..<count]
      return count
    }
    isAtEnd = count == 0
  }
}
