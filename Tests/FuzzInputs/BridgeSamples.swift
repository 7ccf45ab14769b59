import Defaults
import Foundation

// Types like those that users store, one for each way to get a bridge.

struct Profile: Codable, Sendable, Defaults.Serializable {
  var name: String
  var age: Int?
  var ratio: Double
  var amount: Decimal?
  var seen: Date?
  var home: URL?
  var tags: [String: [Int8]]

  static let sample = Profile(
    name: "Ada ü😀", age: 36, ratio: 0.1, amount: Decimal(string: "12.50"), seen: .distantPast,
    home: URL(string: "https://example.org/a?b#c"), tags: ["x": [1, -2], "y": []])
}

enum Mode: String, Defaults.Serializable { case fast, slow }

enum Level: Int8, Codable, Defaults.Serializable, Defaults.PreferRawRepresentable {
  case low = -1
  case high = 127
}

/// Stored by its own bridge, as a dictionary of strings.
struct Account: Defaults.Serializable, Sendable {
  var name: String
  var age: String

  struct Bridge: Defaults.Bridge {
    func serialize(_ value: Account?) -> [String: String]? {
      value.map { ["name": $0.name, "age": $0.age] }
    }

    func deserialize(_ object: [String: String]?) -> Account? {
      guard let name = object?["name"], let age = object?["age"] else { return nil }
      return Account(name: name, age: age)
    }
  }

  static var bridge: Bridge { Bridge() }
}

struct Bag: Defaults.CollectionSerializable, Sendable {
  var items: [Int]

  init(_ elements: [Int]) { items = elements }

  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }
  func index(after index: Int) -> Int { items.index(after: index) }
  subscript(position: Int) -> Int { items[position] }
}

struct Flags: Defaults.SetAlgebraSerializable, OptionSet, Sendable {
  var rawValue: UInt8

  func toArray() -> [Flags] {
    (0..<8).map { Flags(rawValue: 1 << $0) }.filter { isSuperset(of: $0) }
  }
}

/// A class in an archive. It must be declared at the top level of its module.
package final class Note: NSObject, NSSecureCoding, Sendable {
  package static var supportsSecureCoding: Bool { true }

  let text: String
  let count: Int
  let ratio: Double
  let isOpen: Bool
  let tags: [String]
  let child: Note?

  package init(
    _ text: String, count: Int = 0, ratio: Double = 0, isOpen: Bool = false, tags: [String] = [],
    child: Note? = nil
  ) {
    self.text = text
    self.count = count
    self.ratio = ratio
    self.isOpen = isOpen
    self.tags = tags
    self.child = child
  }

  package func encode(with coder: NSCoder) {
    coder.encode(text, forKey: "text")
    coder.encode(count, forKey: "count")
    coder.encode(ratio, forKey: "ratio")
    coder.encode(isOpen, forKey: "isOpen")
    coder.encode(tags as NSArray, forKey: "tags")
    coder.encode(child, forKey: "child")
  }

  package init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
    self.text = text as String
    count = coder.decodeInteger(forKey: "count")
    ratio = coder.decodeDouble(forKey: "ratio")
    isOpen = coder.decodeBool(forKey: "isOpen")
    let tags = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags")
    self.tags = (tags as? NSArray)?.compactMap { $0 as? String } ?? []
    child = coder.decodeObject(of: Note.self, forKey: "child")
  }

  package override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Note else { return false }
    return text == other.text && count == other.count && ratio == other.ratio
      && isOpen == other.isOpen && tags == other.tags && child == other.child
  }
}

/// Encodes a date instead of a note's text, under a class name of the same length.
package final class Fake: NSObject, NSSecureCoding, Sendable {
  package static var supportsSecureCoding: Bool { true }
  package override init() {}
  package func encode(with coder: NSCoder) { coder.encode(NSDate(), forKey: "text") }
  package init?(coder: NSCoder) {}
}

/// Contains any other object that archives may have.
package final class Box: NSObject, NSSecureCoding, Defaults.Serializable, @unchecked Sendable {
  package static var supportsSecureCoding: Bool { true }
  package static var bridge: Defaults.Coding<Box> { .archive(containing: [Note.self]) }

  // Unchecked, because NSObject isn't Sendable. Samples and readers don't share their boxes, and a
  // test that changes a box uses it alone.
  package var content: NSObject?

  package init(_ content: NSObject?) { self.content = content }

  package func encode(with coder: NSCoder) { coder.encode(content, forKey: "content") }

  package init?(coder: NSCoder) {
    content = coder.decodeObject(of: [NSObject.self], forKey: "content") as? NSObject
  }
}
