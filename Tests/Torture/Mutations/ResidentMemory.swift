import Foundation
import Harness

/// How much memory this process has taken at most since it was last asked to begin anew.
///
/// Resident pages, as the kernel counts them: exact to some ten KiB, and about a microsecond and a
/// half per question, where a count of each allocation would slow down what is measured. What was
/// reserved and never touched isn't counted by it, but bounded by `limitReservations`.
struct ResidentMemory: ~Copyable {
  /// Makes memory go back to the system as soon as it is free, in a process that is started with
  /// it, so that no input lives on what another one left behind.
  static let environment = [
    "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072",
  ]

  private let clearing: Int32

  init() {
    // Where there is no such file the peak is that of all inputs so far: `growth` is then what an
    // input adds to it, which misses an excess that a larger input had before, and no other.
    clearing = open("/proc/self/clear_refs", O_WRONLY)
  }

  deinit {
    if clearing >= 0 { close(clearing) }
  }

  /// How many bytes the process had more, at the worst time of the body, than before it.
  func growth<Result>(during body: () -> Result) -> (result: Result, growth: Int) {
    // 5: the peak becomes what there is now.
    if clearing >= 0 { pwrite(clearing, "5", 1, 0) }
    let before = ProcessMemory.peak
    let result = body()
    let growth = ProcessMemory.peak - before
    // Free pages between others would hide the growth of the next inputs.
    if growth > 1 << 20 { ProcessMemory.trim() }
    return (result, growth)
  }

  /// Makes reservations fail, and so kill the process, that together are larger by this much than
  /// what it has now.
  static func limitReservations(to bytes: Int) {
    guard let extent = ProcessMemory.extent else { return }
    try? ResourceLimit.reservations.set(to: extent.reserved + bytes)
  }
}
