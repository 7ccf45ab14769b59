import Foundation

// Classes that are archived must stand at the top level of the test module.

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
