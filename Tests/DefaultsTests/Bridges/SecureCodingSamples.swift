import Foundation

// Archived classes must be at the top level of the test module.

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
