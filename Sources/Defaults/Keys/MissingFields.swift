// What a key does with an entry that lacks fields, since its type got them after the entry was stored.

extension Defaults.Key {
  /// The value that missing fields of an entry are filled from: what a read gives where there is no
  /// entry. Nil for a detached key, which doesn't know it.
  package func valueForFilling(in suite: any Defaults.Suite) -> Value? {
    guard suite.support.registeredDefault(named: name) != nil,
      let registered = try? decode(nil, in: suite)
    else { return ownValueForFilling }
    return registered
  }

  /// The same, for an entry that was registered as the default.
  var ownValueForFilling: Value? {
    if case .unknown = fallback { nil } else { defaultValue }
  }

  /// Whether nothing else is known to be wrong with an entry than that it lacks a field.
  func lacksField(_ entry: Defaults.PropertyListValue) -> Bool {
    do throws(Defaults.ConversionError) {
      _ = try coding.value(ofEntry: entry)
      return false
    } catch {
      return error.lacksField
    }
  }
}
