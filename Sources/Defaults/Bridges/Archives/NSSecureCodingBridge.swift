import Foundation

struct NSSecureCodingBridge<
  Value: NSObject & NSSecureCoding & Sendable
>: Defaults.PropertyListBridge {
  var shape: Defaults.Shape { .data }

  #if !canImport(Darwin)
    private let classes: Defaults.KeyedArchive.Classes
  #endif

  /// Creates a bridge for objects that contain objects of these classes and of Foundation's
  /// classes.
  init(containing classes: [any (NSObject & NSSecureCoding & SendableMetatype).Type] = []) {
    #if !canImport(Darwin)
      self.classes = Defaults.KeyedArchive.Classes([Value.self] + classes)
    #endif
  }

  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    #if !canImport(Darwin)
      try KeyedArchiveProbe.check(value, classes)
    #endif
    let stored: PropertyListValue
    do {
      stored = .data(
        try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true))
    } catch {
      throw ConversionError("\(Value.self) can't be archived: \(error)")
    }
    _ = try decode(stored)
    return stored
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    guard case .data(let data) = stored else {
      throw .mismatch(stored, expected: "data with a keyed archive")
    }
    #if canImport(Darwin)
      let value: Value?
      do {
        value = try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
      } catch {
        throw ConversionError("the data isn't a keyed archive of \(Value.self): \(error)")
      }
      guard let value else {
        throw ConversionError("the data isn't a keyed archive of \(Value.self)")
      }
      return value
    #else
      return try KeyedArchiveReader.read(Value.self, from: Defaults.KeyedArchive(data), classes)
    #endif
  }
}
