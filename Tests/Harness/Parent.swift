import Foundation

/// The parent process of a child, at the other end of its standard input and output.
package struct Parent: Sendable {
  private let input = Descriptor(0)
  private let output = Descriptor(1)

  package init() {}

  /// Writes a line with one call. Ends the process if the parent has ended.
  package func tell(_ line: String) {
    if !output.write(line + "\n") { _exit(3) }
  }

  /// Waits for the start signal. Ends the process if the parent has ended.
  package func awaitStart() {
    // Starting other children may take long. Without a parent, the input is at its end.
    if receive(byteCount: 1, within: 10 * LineReader.limit) == nil { _exit(3) }
  }

  /// The bytes of one write; nil at the end or after a timeout.
  package func receive(byteCount: Int, within seconds: Double) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { bytes in
      guard let count = input.read(into: bytes, within: seconds), count > 0 else { return nil }
      return Array(bytes[..<count])
    }
  }

  /// Writes numbers with one call.
  package func tell(_ numbers: [Int]) {
    if !numbers.withUnsafeBytes({ output.write($0) }) { _exit(3) }
  }
}
