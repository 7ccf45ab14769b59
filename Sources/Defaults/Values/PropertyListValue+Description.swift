extension Defaults.PropertyListValue: CustomStringConvertible {
  /// The value in the manner of Swift literals, the names of dictionaries sorted.
  public var description: String {
    switch self {
    case .bool(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .unsignedInteger(let value): return "\(value)"
    case .real(let value): return "\(value)"
    case .string(let value): return String(reflecting: value)
    case .date(let value): return Defaults.ExactText.text(of: value)
    case .data(let value): return "\(value)"
    case .array(let elements):
      return "[\(elements.map(\.description).joined(separator: ", "))]"
    case .dictionary([:]):
      return "[:]"
    case .dictionary(let elements):
      let pairs = elements.sorted { $0.key < $1.key }
        .map { name, value in "\(String(reflecting: name)): \(value)" }
      return "[\(pairs.joined(separator: ", "))]"
    }
  }
}
