import Foundation

// Classes that are archived must stand at the top level of the test module.

final class ArchivedNote: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }

  let text: String
  let count: Int
  let ratio: Double
  let isOpen: Bool
  let tags: [String]
  let child: ArchivedNote?

  init(
    _ text: String, count: Int = 0, ratio: Double = 0, isOpen: Bool = false, tags: [String] = [],
    child: ArchivedNote? = nil
  ) {
    self.text = text
    self.count = count
    self.ratio = ratio
    self.isOpen = isOpen
    self.tags = tags
    self.child = child
  }

  func encode(with coder: NSCoder) {
    coder.encode(text, forKey: "text")
    coder.encode(count, forKey: "count")
    coder.encode(ratio, forKey: "ratio")
    coder.encode(isOpen, forKey: "isOpen")
    coder.encode(tags as NSArray, forKey: "tags")
    coder.encode(child, forKey: "child")
  }

  init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
    self.text = text as String
    count = coder.decodeInteger(forKey: "count")
    ratio = coder.decodeDouble(forKey: "ratio")
    isOpen = coder.decodeBool(forKey: "isOpen")
    let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags")
    self.tags = (tags as? NSArray)?.compactMap { $0 as? String } ?? []
    child = coder.decodeObject(of: ArchivedNote.self, forKey: "child")
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ArchivedNote else { return false }
    return text == other.text && count == other.count && ratio == other.ratio
      && isOpen == other.isOpen && tags == other.tags && child == other.child
  }
}

/// An object that encodes and expects any other one.
final class ArchivedBox: NSObject, NSSecureCoding, @unchecked Sendable {
  static var supportsSecureCoding: Bool { true }
  var content: NSObject?

  init(_ content: NSObject?) { self.content = content }

  func encode(with coder: NSCoder) { coder.encode(content, forKey: "content") }

  init?(coder: NSCoder) {
    content = coder.decodeObject(of: [NSObject.self], forKey: "content") as? NSObject
  }
}

/// Encodes a date where a note has its text.
final class ArchivedDate: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) { coder.encode(NSDate(), forKey: "text") }
  init?(coder: NSCoder) {}
}

final class InsecureObject: NSObject, NSCoding {
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

final class RefusedObject: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { false }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

final class UnkeyedObject: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) { coder.encode(Data([1])) }
  init?(coder: NSCoder) {}
}

final class GenericObject<Content>: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

private final class PrivateObject: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}

enum SecureCodingSamples {
  final class Nested: NSObject, NSSecureCoding, Sendable {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
  }

  static func privateObject() -> NSObject { PrivateObject() }
}
