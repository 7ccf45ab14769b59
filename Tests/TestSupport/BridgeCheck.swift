import Defaults
import Testing

/// Encodes and decodes a value with its own bridge.
package func roundTrip<V: Defaults.Serializable>(_ value: V) throws(Defaults.ConversionError) -> V {
  try Defaults.PropertyListValue(encoding: value).decoded()
}

/// Writes and reads a value as an entry; nil if writing removes the entry.
package func entryRoundTrip<V: Defaults.Serializable>(_ value: V) throws(Defaults.ConversionError)
  -> V?
{
  guard let entry = try V.bridge.edit(for: value).entry else { return nil }
  return .some(try V.bridge.value(ofEntry: entry))
}

/// Expects that reading a stored value as a type fails with exactly this reason.
package func expectRefusal<V: Defaults.Serializable>(
  _ type: V.Type, _ stored: Defaults.PropertyListValue, _ description: String,
  _ location: SourceLocation = #_sourceLocation
) {
  let error = #expect(throws: Defaults.ConversionError.self, sourceLocation: location) {
    _ = try stored.decoded(as: V.self)
  }
  #expect(error?.description == description, sourceLocation: location)
}
