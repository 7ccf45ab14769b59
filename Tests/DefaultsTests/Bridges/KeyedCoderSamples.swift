import Foundation
import FuzzInputs

// Archived classes must be at the top level of the test module.

/// Encodes every kind of scalar, bytes, and a conditional object.
final class ArchivedScalars: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }

  let small: Int32
  let large: Int64
  let ratio: Float
  let bytes: [UInt8]
  let title: String
  let hasOwner: Bool

  init(small: Int32, large: Int64, ratio: Float, bytes: [UInt8], title: String) {
    self.small = small
    self.large = large
    self.ratio = ratio
    self.bytes = bytes
    self.title = title
    hasOwner = false
  }

  func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding, coder.requiresSecureCoding else { return }
    coder.encode(small, forKey: "small")
    coder.encode(large, forKey: "large")
    coder.encode(ratio, forKey: "ratio")
    bytes.withUnsafeBufferPointer {
      coder.encodeBytes($0.baseAddress, length: $0.count, forKey: "bytes")
    }
    coder.encode(NSString(string: title), forKey: "title")
    coder.encodeConditionalObject(NSString(string: "unowned"), forKey: "owner")
  }

  init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding, coder.requiresSecureCoding, coder.containsValue(forKey: "small"),
      !coder.containsValue(forKey: "none"), coder.decodeInt32(forKey: "none") == 0,
      coder.withDecodedUnsafeBufferPointer(forKey: "none", body: { $0 == nil }),
      coder.decodingFailurePolicy == .setErrorAndReturn, coder.error == nil
    else { return nil }
    small = coder.decodeInt32(forKey: "small")
    large = coder.decodeInt64(forKey: "large")
    ratio = coder.decodeFloat(forKey: "ratio")
    bytes = coder.withDecodedUnsafeBufferPointer(forKey: "bytes") { $0.map(Array.init) ?? [] }
    title = coder.decodeObject(forKey: "title") as? String ?? ""
    hasOwner = coder.decodeObject(of: NSString.self, forKey: "owner") != nil
    guard coder.decodeCInt(forKey: "small") == small,
      coder.decodePropertyList(forKey: "title") as? String == title
    else { return nil }
    #if !canImport(Darwin)
      let bytes = coder.withDecodedUnsafeBytes(forKey: "bytes") { $0.map(Array.init) ?? [] }
      guard bytes == self.bytes, coder.withDecodedUnsafeBytes(forKey: "none", body: { $0 == nil })
      else { return nil }
    #endif
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ArchivedScalars else { return false }
    return small == other.small && large == other.large && ratio == other.ratio
      && bytes == other.bytes && title == other.title && hasOwner == other.hasOwner
  }
}

/// Encodes with a closure.
final class ArchivedByClosure: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  let body: @Sendable (NSCoder) -> Void

  init(_ body: @escaping @Sendable (NSCoder) -> Void) { self.body = body }

  func encode(with coder: NSCoder) { body(coder) }

  init?(coder: NSCoder) { body = { _ in } }
}

/// Makes the decoder request that its number stands for, and accepts any result.
final class DemandingObject: NSObject, NSSecureCoding, @unchecked Sendable {
  // Unchecked because of `content`, which is never mutated.

  enum Demand: Int, CaseIterable {
    case nothing, failure, otherFailure, value, array, unkeyedObjects, version
    case objectOfFoundation, objectOfListedClass, propertyList
  }

  struct Refusal: Error, CustomStringConvertible { let description = "I don't want to" }

  static var supportsSecureCoding: Bool { true }
  let demand: Demand
  let content: NSObject?
  /// Whether the decoder returned a value that doesn't exist.
  let isFooled: Bool

  init(_ demand: Demand, _ content: NSObject? = nil) {
    self.demand = demand
    self.content = content
    isFooled = false
  }

  func encode(with coder: NSCoder) {
    coder.encode(demand.rawValue, forKey: "demand")
    coder.encode(content, forKey: "content")
  }

  init?(coder: NSCoder) {
    demand = Demand(rawValue: coder.decodeInteger(forKey: "demand")) ?? .nothing
    var content: Any?
    var isFooled = false
    var number = 7
    switch demand {
    case .nothing: break
    case .failure:
      coder.failWithError(Refusal())
      isFooled = coder.error == nil || coder.decodeInteger(forKey: "demand") != 0
    case .otherFailure:
      coder.failWithError(Refusal())
      coder.failWithError(CocoaError(.fileNoSuchFile))
    case .value: coder.decodeValue(ofObjCType: "q", at: &number)
    case .array: coder.decodeArray(ofObjCType: "q", count: 1, at: &number)
    case .unkeyedObjects:
      isFooled =
        coder.decodeObject() != nil || coder.decodeData() != nil
        || coder.decodePropertyList() != nil
    case .version: isFooled = coder.version(forClassName: "NSString") != 0
    case .objectOfFoundation: content = coder.decodeObject(forKey: "content")
    case .objectOfListedClass:
      content = coder.decodeObject(of: [NSUUID.self, Note.self], forKey: "content")
    case .propertyList: content = coder.decodePropertyList(forKey: "content")
    }
    self.content = content as? NSObject
    self.isFooled = isFooled || number != 7
  }
}
