#if !canImport(Darwin)
  import Foundation

  extension KeyedArchiveReader {
    /// The object of a value that archives hold as it is.
    func makeScalar(_ stored: Defaults.PropertyListValue) throws(Failure) -> NSObject {
      switch stored {
      case .bool(let value): NSNumber(value: value)
      case .integer(let value): NSNumber(value: value)
      case .unsignedInteger(let value): NSNumber(value: value)
      case .real(let value): NSNumber(value: value)
      case .string(let value): NSString(string: value)
      case .data(let value): NSData(data: value)
      case .date(let value):
        NSDate(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
      case .array, .dictionary:
        throw .mismatch(stored, expected: "an object")
      }
    }

    /// The object of a class of Foundation; nil if the class isn't one of those that are read.
    func makeFoundationObject(_ name: String, _ fields: Fields) throws(Failure) -> NSObject? {
      switch name {
      case "NSArray":
        return NSArray(array: try objects(fields, "NS.objects"))
      case "NSMutableArray":
        return NSMutableArray(array: try objects(fields, "NS.objects"))
      case "NSSet":
        return NSSet(array: try members(fields, "NS.objects"))
      case "NSMutableSet":
        return NSMutableSet(array: try members(fields, "NS.objects"))
      case "NSDictionary":
        return try NSDictionary(dictionary: dictionary(fields))
      case "NSMutableDictionary":
        return try NSMutableDictionary(dictionary: dictionary(fields))
      case "NSString":
        return NSString(string: try field(fields, "NS.string", String.bridge))
      case "NSMutableString":
        return NSMutableString(string: try field(fields, "NS.string", String.bridge))
      case "NSData":
        return NSData(data: try field(fields, "NS.data", Data.bridge))
      case "NSMutableData":
        return NSMutableData(data: try field(fields, "NS.data", Data.bridge))
      case "NSDate":
        let time = try field(fields, "NS.time", Double.bridge)
        return NSDate(timeIntervalSinceReferenceDate: time)
      case "NSUUID":
        let bytes = try field(fields, "NS.uuidbytes", Data.bridge)
        guard bytes.count == 16 else { throw Failure("a UUID hasn't \(bytes.count) bytes") }
        return [UInt8](bytes).withUnsafeBufferPointer {
          $0.baseAddress.map { NSUUID(uuidBytes: $0) }
        }
      case "NSURL":
        guard let relative = try object(fields["NS.relative"]) as? NSString else {
          throw Failure("a URL of the archive has no string")
        }
        let base = try object(fields["NS.base"])
        guard base == nil || base is NSURL,
          let url = NSURL(string: String(relative), relativeTo: (base as? NSURL).map { $0 as URL })
        else { throw Failure("\"\(relative)\" isn't a URL") }
        return url
      case "NSNull":
        return NSNull()
      default:
        return nil
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
      let references = try field(fields, name, [Defaults.PropertyListValue].bridge)
      var objects: [NSObject] = []
      for reference in references {
        guard let object = try object(reference) else {
          throw Failure("a collection of the archive contains nil")
        }
        objects.append(object)
      }
      return objects
    }

    /// Objects that are hashed and compared: collections could take forever.
    private func members(_ fields: Fields, _ name: String) throws(Failure) -> [NSObject] {
      let members = try objects(fields, name)
      guard !members.contains(where: { $0 is NSArray || $0 is NSSet || $0 is NSDictionary }) else {
        throw Failure("a collection is a member of a set, or a dictionary's key")
      }
      return members
    }

    private func dictionary(_ fields: Fields) throws(Failure) -> [NSObject: NSObject] {
      let keys = try members(fields, "NS.keys")
      let objects = try objects(fields, "NS.objects")
      guard keys.count == objects.count else {
        throw Failure("a dictionary of the archive has \(keys.count) keys for \(objects.count)")
      }
      return Dictionary(zip(keys, objects)) { first, _ in first }
    }
  }
#endif
