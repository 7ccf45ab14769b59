/// Times in nanoseconds, and their percentiles.
struct Latencies {
  private let sorted: [Int]

  init(_ times: [Int]) { sorted = times.sorted() }

  var count: Int { sorted.count }
  var median: Double { microseconds(at: 0.5) }
  var percentile99: Double { microseconds(at: 0.99) }

  private func microseconds(at fraction: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]) / 1_000
  }
}
