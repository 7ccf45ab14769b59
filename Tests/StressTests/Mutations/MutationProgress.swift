import Foundation

/// The progress of a worker, in a small file shared with its parent, so that it survives the
/// worker.
struct MutationProgress {
  /// The number of the input being read, plus one; 0 before the first and after the last.
  var current: UInt64 = 0
  /// The size of that input in bytes.
  var size: UInt64 = 0
  var inputs: UInt64 = 0
  var accepted: UInt64 = 0
  var excesses: UInt64 = 0
  /// The number of the first input that took too much memory, plus one.
  var firstExcess: UInt64 = 0

  /// Stores the progress with one write.
  func store(in file: Int32) {
    withUnsafeBytes(of: self) { _ = pwrite(file, $0.baseAddress, $0.count, 0) }
  }

  /// The last stored progress.
  static func load(from file: Int32) -> Self {
    var progress = Self()
    let count = withUnsafeMutableBytes(of: &progress) { pread(file, $0.baseAddress, $0.count, 0) }
    return count == MemoryLayout<Self>.size ? progress : Self()
  }
}
