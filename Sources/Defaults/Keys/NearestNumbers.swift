// Conversion of decimal numbers of a text format for keys of a `Float`.

extension Defaults.KeyBase {
  /// Returns the entry with the nearest `Float` for each decimal number, if the entry was read from
  /// JSON and the key has floats there. Returns the entry itself if it is valid, or if the
  /// conversion doesn't make it valid.
  package func entry(ofDecimals entry: PropertyListValue) -> PropertyListValue {
    guard problem(with: entry) != nil else { return entry }
    let nearest = shape.nearest(to: entry, isEntry: true)
    return nearest != entry && problem(with: nearest) == nil ? nearest : entry
  }
}

extension Defaults.Shape {
  /// Returns a value with the nearest `Float` for each number in the place of a `Float`.
  fileprivate func nearest(
    to stored: PropertyListValue, isEntry: Bool = false
  ) -> PropertyListValue {
    switch (self, stored) {
    case (.float, .real(let number)) where Float(number).isFinite:
      .real(Defaults.FloatBridge.decimal(of: Float(number)))
    case (.float, .integer(let number)):
      .real(Defaults.FloatBridge.decimal(of: Float(number)))
    case (.array(let element), .array(let elements)), (.set(let element), .array(let elements)):
      .array(elements.map { element.nearest(to: $0) })
    case (.dictionary(let element), .dictionary(let elements)):
      .dictionary(elements.mapValues { element.nearest(to: $0) })
    case (.optional(let wrapped), .array(let elements)) where !isEntry:
      .array(elements.map { wrapped.nearest(to: $0) })
    case (.optional(let wrapped), _) where isEntry: wrapped.nearest(to: stored)
    case (.converted(let shape), _), (.either(let shape, _), _):
      shape.nearest(to: stored, isEntry: isEntry)
    default: stored
    }
  }
}
