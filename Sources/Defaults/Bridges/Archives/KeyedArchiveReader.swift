#if !canImport(Darwin)
  import Foundation

  /// Creates the objects of a keyed archive. `NSKeyedUnarchiver` traps for many invalid archives.
  ///
  /// The first problem of an archive is recorded. Reading throws it at the end; until then,
  /// `init(coder:)` gets nil, zero or false. All references to an object share it.
  final class KeyedArchiveReader: NSCoder {
    typealias Failure = Defaults.ConversionError
    typealias Fields = [String: Defaults.PropertyListValue]

    let archive: Defaults.KeyedArchive
    private let classes: Defaults.KeyedArchive.Classes
    private var failure: Failure?
    private var objects: [Int: NSObject] = [:]
    /// The indices of the objects that are being created, from the outside in.
    private var path: [Int] = []
    private var frames: [Fields] = []

    /// Returns the archived object if it is exactly of this class.
    static func read<Value: NSObject>(
      _ type: Value.Type, from archive: Defaults.KeyedArchive,
      _ classes: Defaults.KeyedArchive.Classes
    ) throws(Failure) -> Value {
      let reader = KeyedArchiveReader(archive, classes)
      let object = try reader.object(at: archive.root)
      if let failure = reader.failure { throw failure }
      guard let value = object as? Value else {
        throw Failure("the archived object isn't a \(Value.self)")
      }
      return value
    }

    private init(_ archive: Defaults.KeyedArchive, _ classes: Defaults.KeyedArchive.Classes) {
      self.archive = archive
      self.classes = classes
    }

    /// Returns the object to which a UID refers; nil for the null object.
    func object(_ reference: PropertyListValue?) throws(Failure) -> NSObject? {
      guard let reference else { return nil }
      guard let index = Defaults.KeyedArchive.reference(reference) else {
        throw .mismatch(reference, expected: "a reference to an object")
      }
      return try object(at: index)
    }

    private func object(at index: Int) throws(Failure) -> NSObject? {
      if index == 0 { return nil }
      if let known = objects[index] { return known }
      guard !path.contains(index) else { throw Failure("an object of the archive contains itself") }
      guard path.count < Defaults.KeyedArchive.maximumDepth else {
        throw Failure("the objects of the archive are nested too deep")
      }
      path.append(index)
      defer { path.removeLast() }
      let object = try make(archive.object(at: index))
      objects[index] = object
      return object
    }

    private func make(_ stored: PropertyListValue) throws(Failure) -> NSObject {
      guard case .dictionary(let fields) = stored else { return try makeScalar(stored) }
      let name = try archive.className(of: fields)
      if let type = classes[name] {
        guard type.supportsSecureCoding else {
          throw Failure("\(name) doesn't support secure coding")
        }
        frames.append(fields)
        defer { frames.removeLast() }
        guard let object = type.init(coder: self) else {
          throw failure ?? Failure("\(name) doesn't accept the content of the archive")
        }
        return object
      }
      return try makeFoundationObject(name, fields)
    }

    // MARK: Requests of the client's objects

    private func field(_ key: String) -> PropertyListValue? {
      failure == nil ? frames.last?[key] : nil
    }

    /// Returns the value of a field, or of the object to which it refers.
    private func scalar<B: Defaults.Bridge>(_ key: String, _ bridge: B) -> B.Value? {
      guard let stored = field(key) else { return nil }
      do throws(Failure) {
        guard let index = Defaults.KeyedArchive.reference(stored) else {
          return try bridge.decode(stored)
        }
        return try bridge.decode(archive.object(at: index))
      } catch {
        failure = error.at(key)
        return nil
      }
    }

    private func object(_ key: String, _ isAllowed: (NSObject) -> Bool) -> NSObject? {
      guard let stored = field(key) else { return nil }
      do throws(Failure) {
        guard let object = try object(stored) else { return nil }
        guard isAllowed(object) else {
          throw Failure("an archived object has the unexpected class \(type(of: object))")
        }
        return object
      } catch {
        failure = failure ?? error.at(key)
        return nil
      }
    }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { failure }
    override func failWithError(_ error: any Error) {
      failure = failure ?? error as? Failure ?? Failure("\(error)")
    }

    override func containsValue(forKey key: String) -> Bool { frames.last?[key] != nil }

    override func decodeObject<Object: NSObject & NSCoding>(
      of type: Object.Type, forKey key: String
    ) -> Object? {
      object(key) { $0 is Object } as? Object
    }
    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
      object(key) { object in
        classes?.contains { object.isKind(of: $0) } ?? Self.isOfFoundation(object)
      }
    }
    override func decodeObject(forKey key: String) -> Any? { object(key, Self.isOfFoundation) }
    override func decodePropertyList(forKey key: String) -> Any? {
      object(key, Self.isOfFoundation)
    }

    override func decodeBool(forKey key: String) -> Bool { scalar(key, Bool.bridge) ?? false }
    override func decodeInteger(forKey key: String) -> Int { scalar(key, Int.bridge) ?? 0 }
    override func decodeCInt(forKey key: String) -> Int32 { decodeInt32(forKey: key) }
    override func decodeInt32(forKey key: String) -> Int32 { scalar(key, Int32.bridge) ?? 0 }
    override func decodeInt64(forKey key: String) -> Int64 { scalar(key, Int64.bridge) ?? 0 }
    override func decodeFloat(forKey key: String) -> Float { scalar(key, Float.bridge) ?? 0 }
    override func decodeDouble(forKey key: String) -> Double { scalar(key, Double.bridge) ?? 0 }

    override func withDecodedUnsafeBufferPointer<Result>(
      forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
      guard let data = scalar(key, Data.bridge) else { return try body(nil) }
      return try [UInt8](data).withUnsafeBufferPointer { try body($0) }
    }
    override func withDecodedUnsafeBytes<Result>(
      forKey key: String, body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
      guard let data = scalar(key, Data.bridge) else { return try body(nil) }
      return try data.withUnsafeBytes { try body($0) }
    }

    // An archive contains no values without keys. `decodeArray` calls `decodeValue`.

    override func decodeObject() -> Any? { nil }
    override func decodeData() -> Data? { nil }
    override func decodePropertyList() -> Any? { nil }
    override func decodeValue(
      ofObjCType type: UnsafePointer<Int8>, at address: UnsafeMutableRawPointer
    ) { failWithError(Failure("an object decodes values without keys")) }
    override func version(forClassName name: String) -> Int { 0 }

    private static func isOfFoundation(_ object: NSObject) -> Bool {
      String(reflecting: type(of: object)).hasPrefix("Foundation.")
    }
  }

  // MARK: - Objects of Foundation

  extension KeyedArchiveReader {
    func makeScalar(_ stored: PropertyListValue) throws(Failure) -> NSObject {
      switch stored {
      case .bool(let value): NSNumber(value: value)
      case .integer(let value): NSNumber(value: value)
      case .unsignedInteger(let value): NSNumber(value: value)
      case .real(let value): NSNumber(value: value)
      case .string(let value): NSString(string: value)
      case .data(let value): NSData(data: value)
      case .date(let value):
        NSDate(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
      case .array, .dictionary: throw .mismatch(stored, expected: "an object")
      }
    }

    func makeFoundationObject(_ name: String, _ fields: Fields) throws(Failure) -> NSObject {
      switch name {
      case "NSArray": return NSArray(array: try objects(fields, "NS.objects"))
      case "NSMutableArray": return NSMutableArray(array: try objects(fields, "NS.objects"))
      case "NSSet": return NSSet(array: try members(fields, "NS.objects"))
      case "NSMutableSet": return NSMutableSet(array: try members(fields, "NS.objects"))
      case "NSDictionary": return try NSDictionary(dictionary: dictionary(fields))
      case "NSMutableDictionary": return try NSMutableDictionary(dictionary: dictionary(fields))
      case "NSString": return NSString(string: try field(fields, "NS.string", String.bridge))
      case "NSMutableString":
        return NSMutableString(string: try field(fields, "NS.string", String.bridge))
      case "NSData": return NSData(data: try field(fields, "NS.data", Data.bridge))
      case "NSMutableData": return NSMutableData(data: try field(fields, "NS.data", Data.bridge))
      case "NSDate":
        let time = try field(fields, "NS.time", Double.bridge)
        return NSDate(timeIntervalSinceReferenceDate: time)
      case "NSUUID":
        let bytes = try field(fields, "NS.uuidbytes", Data.bridge)
        guard bytes.count == 16 else { throw Failure("a UUID has 16 bytes, not \(bytes.count)") }
        return NSUUID(uuidBytes: [UInt8](bytes))
      case "NSURL":
        guard let relative = try object(fields["NS.relative"]) as? NSString else {
          throw Failure("a URL of the archive has no string")
        }
        let base = try object(fields["NS.base"])
        guard base == nil || base is NSURL,
          let url = NSURL(string: String(relative), relativeTo: (base as? NSURL).map { $0 as URL })
        else { throw Failure("\"\(relative)\" isn't a URL") }
        return url
      case "NSNull": return NSNull()
      default: throw Failure("\(name) isn't among the classes that may be archived")
      }
    }

    private func field<B: Defaults.Bridge>(
      _ fields: Fields, _ name: String, _ bridge: B
    ) throws(Failure) -> B.Value {
      guard let stored = fields[name] else {
        throw Failure("an object of the archive has no \(name)")
      }
      return try bridge.decode(stored)
    }

    private func objects(_ fields: Fields, _ name: String) throws(Failure) -> [NSObject] {
      let references = try field(fields, name, [PropertyListValue].bridge)
      var objects: [NSObject] = []
      for reference in references {
        guard let object = try object(reference) else {
          throw Failure("a collection of the archive contains nil")
        }
        objects.append(object)
      }
      return objects
    }

    /// Returns objects that are hashed and compared. Throws for collections, because hashing them
    /// may take forever, and for equal objects, of which a set or dictionary would keep only one.
    private func members(_ fields: Fields, _ name: String) throws(Failure) -> [NSObject] {
      let members = try objects(fields, name)
      guard !members.contains(where: { $0 is NSArray || $0 is NSSet || $0 is NSDictionary }) else {
        throw Failure("a member of a set or a key of a dictionary is a collection")
      }
      guard Set(members).count == members.count else {
        throw Failure("two members of a set, or two keys of a dictionary, are equal")
      }
      return members
    }

    private func dictionary(_ fields: Fields) throws(Failure) -> [NSObject: NSObject] {
      let keys = try members(fields, "NS.keys")
      let objects = try objects(fields, "NS.objects")
      guard keys.count == objects.count else {
        throw Failure("an archived dictionary has \(keys.count) keys, \(objects.count) values")
      }
      return Dictionary(zip(keys, objects)) { first, _ in first }
    }
  }
#endif
