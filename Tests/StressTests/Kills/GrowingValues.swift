import Defaults

/// Increasing values under eight keys in turn: step n sets key n modulo 8.
///
/// So the largest number determines the values of all other keys, and an impossible state can be
/// distinguished from an old one.
struct GrowingValues {
  static let keyCount = 8

  /// The last step of each key: 0 for none, nil for an invalid value.
  private(set) var steps: [Int?]

  /// Reads the entries of a writer.
  init(writer: Int, _ entry: (String) -> Defaults.PropertyListValue?) {
    steps = (0..<Self.keyCount).map { key in
      switch entry(Self.name(of: key, writer)) {
      case nil: 0
      case .integer(let number): Self.text(of: Int(number)) == nil ? Int(number) : nil
      case .string(let text):
        text.split(separator: ":").first.flatMap { Int($0) }
          .flatMap { Self.text(of: $0) == text ? $0 : nil }
      default: nil
      }
    }
  }

  /// Parses a ``description``.
  init?(_ text: Substring) {
    steps = text.split(separator: " ").map { Int($0) }
    if steps.count != Self.keyCount { return nil }
  }

  var description: String { steps.map { $0.map(String.init) ?? "-" }.joined(separator: " ") }

  /// The last step among all keys.
  var last: Int { steps.compactMap { $0 }.max() ?? 0 }

  /// The number of keys with an older or an invalid value after this step.
  func lost(since step: Int) -> Int {
    zip(steps, Self.after(step)).count { ($0 ?? -1) < $1 }
  }

  /// Whether the keys had these values at one time.
  var isPossible: Bool { steps == Self.after(last) }

  private static func after(_ step: Int) -> [Int] {
    (0..<keyCount).map { key in
      let distance = (step - key) % keyCount
      return step - (distance < 0 ? distance + keyCount : distance)
    }.map { max($0, 0) }
  }

  static func make(_ step: Int, writer: Int, in store: any TestedStore) {
    let name = name(of: step % keyCount, writer)
    if let text = text(of: step) {
      store.set(text, for: name)
    } else {
      store.set(step, for: name)
    }
  }

  private static func name(of key: Int, _ writer: Int) -> String { "writer\(writer).key\(key)" }

  /// Half of the keys have integers, half texts of up to 2,000 bytes.
  private static func text(of step: Int) -> String? {
    guard step % 2 == 1 else { return nil }
    return "\(step):" + String(repeating: "x", count: step &* 37 % 2_000)
  }
}
