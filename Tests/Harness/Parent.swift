import Foundation

/// The other end of a child's standard input and output.
package struct Parent: Sendable {
  private let input = Descriptor(0)
  private let output = Descriptor(1)

  package init() {}

  /// Writes a line with one call, and returns when that has returned. Ends the process if nobody is
  /// there to read it.
  package func tell(_ line: String) {
    if !output.write(line + "\n") { _exit(3) }
  }

  /// Waits for the start signal; ends the process if there is nobody to give it.
  package func awaitStart() {
    // Others may take their time before it is given; without a parent the input is at its end.
    if receive(byteCount: 1, within: 10 * LineReader.limit) == nil { _exit(3) }
  }

  /// What was written with one call; nil at the end, or if nothing comes in time.
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
