extension Defaults.AnyKey {
  /// What an entry that another library stored is in the form of the key; throws if it isn't a
  /// value of its type.
  func edit(
    forForeign entry: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    guard let key = self as? any TypedKey else { return .set(entry) }
    do throws(Defaults.SuiteError) {
      return try key.editDecoding(entry, in: suite)
    } catch {
      // The error about what is there says more than one about what it might have meant.
      guard let meant = entry.meantByUserDefaults,
        let edit = try? key.editDecoding(meant, in: suite)
      else { throw error }
      return edit
    }
  }
}

/// A key whose type is known to itself alone.
private protocol TypedKey {
  func editDecoding(
    _ entry: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit
}

extension Defaults.Key: TypedKey {
  fileprivate func editDecoding(
    _ entry: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    // Decoding and encoding gives it the form that the key stores: an integer 1 becomes true.
    try edit(for: try decode(entry, in: suite), in: suite)
  }
}

extension Defaults.PropertyListValue {
  /// What `integer(forKey:)` and its like would make of it: `defaults write` stores numbers as text
  /// unless it is told not to.
  fileprivate var meantByUserDefaults: Self? {
    switch self {
    case .bool(let value): return .integer(value ? 1 : 0)
    case .string(let text):
      switch text.lowercased() {
      case "true", "yes": return true
      case "false", "no": return false
      default:
        if let integer = Int64(text) { return .integer(integer) }
        return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
      }
    default: return nil
    }
  }
}
