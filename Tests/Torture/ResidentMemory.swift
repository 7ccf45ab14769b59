import Foundation

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
    let before = Self.peak()
    let result = body()
    let growth = Self.peak() - before
    if growth > 1 << 20 { trim() }
    return (result, growth)
  }

  /// Gives free pages back that lie between others: left alone, they would hide the growth of the
  /// next inputs.
  private func trim() {
    #if canImport(Glibc)
      // Not among the functions that Swift imports.
      typealias Trim = @convention(c) (Int) -> Int32
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    #endif
  }

  /// Makes reservations fail, and so kill the process, that together are larger by this much than
  /// what it has now.
  static func limitReservations(to bytes: Int) {
    #if canImport(Glibc)
      guard
        let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
          .split(separator: " ").first.flatMap({ Int($0) })
      else { return }
      let limit = rlim_t(pages * Int(getpagesize()) + bytes)
      var limits = rlimit(rlim_cur: limit, rlim_max: limit)
      setrlimit(__rlimit_resource_t(UInt32(RLIMIT_AS.rawValue)), &limits)
    #endif
  }

  private static func peak() -> Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss << 10
    #endif
  }
}
