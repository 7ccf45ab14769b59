import Defaults
import Testing

/// Expects that a coding stores a value in exactly this form and reads it back.
package func expect<V: Equatable>(
  _ coding: Defaults.Coding<V>, _ value: V, isStoredAs stored: Defaults.PropertyListValue,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(throws: Never.self, sourceLocation: sourceLocation) {
    let entry = try coding.edit(for: value).entry
    #expect(entry == stored, sourceLocation: sourceLocation)
    let copy = try coding.value(ofEntry: stored)
    #expect(copy == value, sourceLocation: sourceLocation)
  }
}

/// Expects that a coding reads a stored form that it doesn't write.
package func expect<V: Equatable>(
  _ coding: Defaults.Coding<V>, reads stored: Defaults.PropertyListValue, as value: V,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(throws: Never.self, sourceLocation: sourceLocation) {
    let copy = try coding.value(ofEntry: stored)
    #expect(copy == value, sourceLocation: sourceLocation)
  }
}

/// Expects that a coding rejects a stored form, for exactly this reason.
package func expect<V>(
  _ coding: Defaults.Coding<V>, refuses stored: Defaults.PropertyListValue, _ description: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(Defaults.ConversionError) {
    let value = try coding.value(ofEntry: stored)
    Issue.record("The entry was read as \(value)", sourceLocation: sourceLocation)
  } catch {
    #expect(error.description == description, sourceLocation: sourceLocation)
  }
}

/// Expects that a coding rejects a value, for exactly this reason.
package func expect<V>(
  _ coding: Defaults.Coding<V>, refusesToWrite value: V, _ description: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(Defaults.ConversionError) {
    let edit = try coding.edit(for: value)
    Issue.record("The value was written as \(edit)", sourceLocation: sourceLocation)
  } catch {
    #expect(error.description == description, sourceLocation: sourceLocation)
  }
}
