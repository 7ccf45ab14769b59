#if !canImport(Darwin)
  import Foundation

  /// A coder that discards what an object encodes, to check whether it can be archived.
  ///
  /// `NSKeyedArchiver` traps for the objects that this coder rejects.
  final class KeyedArchiveProbe: NSCoder {
    private let classes: Defaults.KeyedArchive.Classes
    private var failure: ConversionError?
    /// The objects that are being visited, from the outside in.
    private var path: [ObjectIdentifier] = []
    /// The visited objects, which are retained so that no other object gets their identities.
    private var visited: [ObjectIdentifier: NSObject] = [:]

    /// Throws if the object, or an object in it, can't be archived.
    static func check(
      _ object: some NSObject, _ classes: Defaults.KeyedArchive.Classes
    ) throws(ConversionError) {
      let probe = KeyedArchiveProbe(classes)
      probe.visit(object)
      if let failure = probe.failure { throw failure }
    }

    private init(_ classes: Defaults.KeyedArchive.Classes) { self.classes = classes }

    private func refuse(_ error: ConversionError) { failure = failure ?? error }

    private func visit(_ value: Any) {
      guard failure == nil else { return }
      guard let object = value as? NSObject else {
        return refuse(ConversionError("\(type(of: value)) can't be archived"))
      }
      let identity = ObjectIdentifier(object)
      guard !path.contains(identity) else {
        return refuse(ConversionError("\(type(of: object)) contains itself"))
      }
      guard path.count < Defaults.KeyedArchive.maximumDepth else {
        return refuse(ConversionError("the objects are nested too deep"))
      }
      guard visited.updateValue(object, forKey: identity) == nil else { return }
      path.append(identity)
      visitContent(of: object)
      path.removeLast()
    }

    private func visitContent(of object: NSObject) {
      // A subclass from outside of Foundation encodes itself, whatever it inherits from.
      guard String(reflecting: type(of: object)).hasPrefix("Foundation.") else {
        do throws(ConversionError) {
          try classes.check(type(of: object))
          (object as? any NSSecureCoding)?.encode(with: self)
        } catch {
          refuse(error)
        }
        return
      }
      switch object {
      case let array as NSArray:
        for element in array { visit(element) }
      case let set as NSSet where !(set is NSCountedSet):
        for member in set { visitMember(member) }
      case let dictionary as NSDictionary:
        for (key, element) in dictionary {
          visitMember(key)
          visit(element)
        }
      case is NSNumber where !(object is NSDecimalNumber),
        is NSString, is NSData, is NSDate, is NSUUID, is NSURL, is NSNull:
        break
      default:
        refuse(ConversionError("\(type(of: object)) can't be archived safely"))
      }
    }

    /// Rejects collections that are hashed and compared: reading their archive could take forever.
    private func visitMember(_ member: Any) {
      if member is NSArray || member is NSSet || member is NSDictionary {
        refuse(ConversionError("a member of a set or a key of a dictionary is a collection"))
      }
      visit(member)
    }

    private func refuseUnkeyed() {
      refuse(ConversionError("an object encodes values without keys"))
    }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }

    override func encode(_ object: Any?, forKey key: String) { if let object { visit(object) } }
    override func encodeConditionalObject(_ object: Any?, forKey key: String) {
      if let object { visit(object) }
    }
    override func encode(_ value: Bool, forKey key: String) {}
    override func encode(_ value: Int, forKey key: String) {}
    override func encode(_ value: Int32, forKey key: String) {}
    override func encode(_ value: Int64, forKey key: String) {}
    override func encode(_ value: Float, forKey key: String) {}
    override func encode(_ value: Double, forKey key: String) {}
    override func encodeBytes(_ bytes: UnsafePointer<UInt8>?, length: Int, forKey key: String) {}

    // The other functions without keys call `encodeValue`.

    override func encode(_ data: Data) { refuseUnkeyed() }
    override func encodePropertyList(_ value: Any) { refuseUnkeyed() }
    override func encodeBytes(_ bytes: UnsafeRawPointer?, length: Int) { refuseUnkeyed() }
    override func encodeValue(ofObjCType type: UnsafePointer<Int8>, at address: UnsafeRawPointer) {
      refuseUnkeyed()
    }
  }
#endif
