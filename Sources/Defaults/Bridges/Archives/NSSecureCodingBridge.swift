import Foundation

extension Defaults {
  /// Stores an object as data that holds its keyed archive.
  ///
  /// The class must be final enough to be `Sendable`; it needn't be `Serializable`. Outside Apple
  /// platforms Foundation's archivers end the process where they meet something that they don't
  /// like, and this bridge keeps it from them. It costs these limits, each of them an error:
  ///
  /// - The class must be at the top level of its module: not nested, private or generic.
  /// - Beside it, an archive has only the classes that `init(containing:)` names and `NSString`,
  ///   `NSNumber`, `NSData`, `NSDate`, `NSUUID`, `NSURL`, `NSNull`, `NSArray`, `NSSet` and
  ///   `NSDictionary`, the mutable ones included. Members of a set and keys of a dictionary aren't
  ///   collections.
  /// - Objects aren't nested in each other more than 256 levels deep, nor in a cycle.
  /// - `encode(with:)` and `init(coder:)` use keys. A missing object or a wrong type in the archive
  ///   is nil to `init(coder:)`, and a wrong type is an error whatever it makes of that. Both also
  ///   run when a value is checked before it is stored, so they must do nothing else. A trap of
  ///   their own, as in a force unwrap, remains one.
  public struct NSSecureCodingBridge<Value: NSObject & NSSecureCoding & Sendable>:
    PropertyListBridge
  {
    #if !canImport(Darwin)
      private let classes: KeyedArchive.Classes
    #endif

    /// A bridge for objects that contain no other object of a class outside Foundation.
    public init() { self.init(containing: []) }

    /// A bridge for objects that contain objects of these classes.
    public init(containing classes: [any (NSObject & NSSecureCoding & SendableMetatype).Type]) {
      #if !canImport(Darwin)
        self.classes = KeyedArchive.Classes([Value.self] + classes)
      #endif
    }

    /// The archive, which was read once before it is returned; throws why there is none.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
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

    /// The object of an archive in data; throws for an archive of anything else.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      guard case .data(let data) = stored else {
        throw .mismatch(stored, expected: "data with a keyed archive")
      }
      #if canImport(Darwin)
        let value: Value?
        do {
          value = try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
        } catch {
          throw ConversionError("it isn't a keyed archive of \(Value.self): \(error)")
        }
        guard let value else {
          throw ConversionError("it isn't a keyed archive of \(Value.self)")
        }
        return value
      #else
        return try KeyedArchiveReader.read(Value.self, from: KeyedArchive(data), classes)
      #endif
    }
  }
}
