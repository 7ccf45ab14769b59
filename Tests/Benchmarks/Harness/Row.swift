/// The result of a line and one of its peers.
struct Row {
  enum Unit: String {
    case nanoseconds = "ns"
    case bytes
  }

  let line: String
  let size: Int
  let ours: Double
  let peer: Double
  let peerName: String
  let unit: Unit
  var bar: Bar?

  /// The peer's figure divided by the library's: above 1, the library is better.
  var ratio: Double { peer / ours }

  /// nil without a bar.
  var isMet: Bool? { bar.map { ratio >= $0.ratio } }
}
