import Foundation

extension Defaults.PropertyListValue {
  /// An equal value in memory of its own, so that no other thread counts references there; costs
  /// one visit and copy per node.
  var detached: Self {
    switch self {
    case .bool, .integer, .unsignedInteger, .real, .date: self
    case .string(let text): .string(Self.detached(text))
    case .data(let data): .data(data.withUnsafeBytes { Data($0) })
    case .array(let elements): .array(elements.map(\.detached))
    case .dictionary(let elements):
      .dictionary(
        Dictionary(
          uniqueKeysWithValues: elements.map { (Self.detached($0.key), $0.value.detached) }))
    }
  }

  private static func detached(_ text: String) -> String {
    String(decoding: Array(text.utf8), as: UTF8.self)
  }
}
