import Foundation
import Harness

/// The peak of this process's memory since the last reset.
///
/// Resident pages according to the kernel, accurate to tens of KiB. A query takes about 1.5
/// microseconds, while counting each allocation would slow down the measured code. Reserved but
/// unused memory isn't counted, but bounded by `limitReservations`.
struct ResidentMemory: ~Copyable {
  /// Returns free memory to the system immediately, in a process started with this environment, so
  /// that no input reuses memory of another one.
  static let environment = [
    "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072",
  ]

  private let clearing: Int32

  init() {
    // Without this file, the peak is that of all inputs so far. `growth` then misses an excess that
    // isn't larger than an earlier input's.
    clearing = open("/proc/self/clear_refs", O_WRONLY)
  }

  deinit {
    if clearing >= 0 { close(clearing) }
  }

  /// The growth of the process's memory at the worst time of the body, in bytes.
  func growth<Result>(during body: () -> Result) -> (result: Result, growth: Int) {
    // 5 resets the peak to the current size.
    if clearing >= 0 { pwrite(clearing, "5", 1, 0) }
    let before = ProcessMemory.peak
    let result = body()
    let growth = ProcessMemory.peak - before
    // Free pages between used ones would hide the growth of the next inputs.
    if growth > 1 << 20 { ProcessMemory.trim() }
    return (result, growth)
  }

  /// Makes further reservations fail, and so kills the process, when they exceed this many bytes.
  static func limitReservations(to bytes: Int) {
    guard let extent = ProcessMemory.extent else { return }
    try? ResourceLimit.reservations.set(to: extent.reserved + bytes)
  }
}
