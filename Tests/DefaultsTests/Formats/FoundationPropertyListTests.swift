import Foundation
import Testing

@testable import Defaults

@Suite("Conversion to Foundation's objects")
struct FoundationPropertyListTests {
  typealias Bridge = FoundationPropertyList
  typealias Value = Defaults.PropertyListValue

  private static let values: [Value] = [
    true, false, 0, 1, -1, 42, .integer(.min), .integer(.max), .unsignedInteger(.max), 0.0, 1.0,
    1.5, "", "text", .date(Date(timeIntervalSinceReferenceDate: 0.5)), .data(Data([1, 2])),
    [1, 1.0, true, 0, 0.0, false, "s", .data(Data()), [], [:]],
    ["a": true, "b": 1, "c": 1.0, "d": ["e": [false]], "": "empty"],
  ]

  /// User defaults for the duration of this call.
  private func withDefaults(_ body: (UserDefaults) throws -> Void) throws {
    let name = "defaults-tests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: name))
    defer { defaults.removePersistentDomain(forName: name) }
    try body(defaults)
  }

  private func find(_ name: String, in defaults: UserDefaults) throws -> Value? {
    try defaults.entry(named: name)
  }

  private func kind(_ value: Value?) -> String {
    switch value {
    case .unsignedInteger: "unsigned"
    case let value?: value.kind
    case nil: "nothing"
    }
  }

  @Test("A value stored in UserDefaults is read back with its type and number", arguments: values)
  func userDefaults(value: Value) throws {
    try withDefaults { defaults in
      defaults.setEntry(value, named: "key")
      let found = try find("key", in: defaults)
      #expect(found == value)
      #expect(kind(found) == kind(value))
      defaults.setEntry(nil, named: "key")
      let key = try find("key", in: defaults)
      #expect(key == nil)
    }
  }

  @Test("A value from a typed setter of UserDefaults is read with its own type")
  func typedSetters() throws {
    try withDefaults { defaults in
      defaults.set(true, forKey: "bool")
      defaults.set(1, forKey: "integer")
      defaults.set(1.0, forKey: "double")
      defaults.set(Float(0.1), forKey: "float")
      let bool = try find("bool", in: defaults)
      #expect(bool == true)
      let integer = try find("integer", in: defaults)
      #expect(integer == 1)
      let double = try find("double", in: defaults)
      #expect(double == 1.0)
      let float = try find("float", in: defaults)
      #expect(float == .real(Double(Float(0.1))))
      let missing = try find("missing", in: defaults)
      #expect(missing == nil)
    }
  }

  @Test("Numbers of Swift and Foundation keep their own type")
  func numbers() throws {
    let cases: [(Any, Value)] = [
      (true, true), (NSNumber(value: true), true), (1, 1), (NSNumber(value: 1), 1),
      (NSNumber(value: 1.0), 1.0), (Int8(-1), -1), (UInt8(200), 200), (UInt64(5), 5),
      (UInt64.max, .unsignedInteger(.max)), (NSNumber(value: UInt64.max), .unsignedInteger(.max)),
      (NSNumber(value: Int64.min), .integer(.min)), (Float(0.5), 0.5), (-0.0, -0.0),
      (NSNumber(value: Float(0.5)), 0.5), (NSNumber(value: false), false), (CGFloat(1), 1.0),
    ]
    for (object, value) in cases {
      let found = try Bridge.value(of: object)
      #expect(found == value)
      #expect(kind(found) == kind(value))
    }
  }

  @Test("Foundation's classes and optionals are converted")
  func classes() throws {
    let array = NSArray(array: [NSString("a"), NSData(data: Data([1])), NSNumber(value: 2.0)])
    let expected: Value = ["k": ["a", .data(Data([1])), 2.0], "d": .date(.distantPast)]
    let dictionary = NSDictionary(dictionary: ["k": array, "d": Date.distantPast as NSDate])
    #expect(try Bridge.value(of: dictionary) == expected)
    let wrapped: [String: Any?] = ["a": Optional<Any>.some(Optional<Int>.some(3) as Any)]
    #expect(try Bridge.value(of: wrapped) == ["a": 3])
  }

  @Test("An object that isn't a property list is rejected")
  func refused() {
    let objects: [(Any, String, [String])] = [
      (NSNull(), "a NSNull can't be stored", []),
      (Optional<Int>.none as Any, "nil can't be stored", []),
      (["a": [1, NSNull()] as [Any]], "a NSNull can't be stored", ["a", "[1]"]),
      ([1: "a"], "a key isn't a string", []),
    ]
    for (object, reason, path) in objects {
      #expect(throws: Defaults.ConversionError(reason, path: path)) { try Bridge.value(of: object) }
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Bridge.value(of: URLComponents(string: "a:b") as Any)
    }
  }
}
