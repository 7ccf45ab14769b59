import Defaults
import Foundation

// A type for every combination of protocols that selects a bridge.
extension BridgeSelectionTests {
  enum Raw: String, Defaults.Serializable { case json = "application/json" }
  enum Level: Int, Defaults.Serializable { case low, high }
  enum Coded: Codable, Defaults.Serializable { case one }
  enum CodedRaw: String, Codable, Defaults.Serializable { case json = "application/json" }
  enum PreferredRaw: String, Codable, Defaults.Serializable, Defaults.PreferRawRepresentable {
    case json = "application/json"
  }
  enum RawOnly: String, Defaults.Serializable, Defaults.PreferRawRepresentable { case one }
  struct Flags: OptionSet, Defaults.Serializable {
    let rawValue: Int
    static let a = Self(rawValue: 1)
    static let b = Self(rawValue: 2)
  }

  // Each class supports secure coding (N), and some support Codable (C) and RawRepresentable (R).

  final class N: NSObject, NSSecureCoding, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
  }

  final class CN: NSObject, NSSecureCoding, Codable, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws { try 0.encode(to: encoder) }
  }

  final class RN: NSObject, NSSecureCoding, RawRepresentable, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    var rawValue: Int { 0 }
    init?(rawValue: Int) {}
  }

  final class CRN: NSObject, NSSecureCoding, Codable, RawRepresentable, Defaults.Serializable {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    var rawValue: Int { 0 }
    init?(rawValue: Int) {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws { try 0.encode(to: encoder) }
  }

  final class NPreferred: NSObject, NSSecureCoding, Defaults.PreferNSSecureCoding, Defaults
      .Serializable
  {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
  }

  final class CNPreferred: NSObject, NSSecureCoding, Codable, Defaults.PreferNSSecureCoding,
    Defaults.Serializable
  {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws { try 0.encode(to: encoder) }
  }

  final class RNPreferred: NSObject, NSSecureCoding, RawRepresentable, Defaults
      .PreferNSSecureCoding, Defaults.Serializable
  {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    var rawValue: Int { 0 }
    init?(rawValue: Int) {}
  }

  final class CRNPreferred: NSObject, NSSecureCoding, Codable, RawRepresentable, Defaults
      .PreferNSSecureCoding, Defaults.Serializable
  {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    var rawValue: Int { 0 }
    init?(rawValue: Int) {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws { try 0.encode(to: encoder) }
  }

  final class CRNPreferringRaw: NSObject, NSSecureCoding, Codable, Defaults
      .PreferRawRepresentable, Defaults.Serializable
  {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    var rawValue: Int { 0 }
    init?(rawValue: Int) {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws { try 0.encode(to: encoder) }
  }

  final class RNPreferringRaw: NSObject, NSSecureCoding, Defaults.PreferRawRepresentable,
    Defaults.Serializable
  {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    func encode(with coder: NSCoder) {}
    init?(coder: NSCoder) {}
    var rawValue: Int { 0 }
    init?(rawValue: Int) {}
  }

  struct CodedList: Defaults.CollectionSerializable, Codable {
    var items: [Int] = []
    init(_ elements: [Int]) { items = elements }
    var startIndex: Int { 0 }
    var endIndex: Int { items.count }
    func index(after index: Int) -> Int { index + 1 }
    subscript(position: Int) -> Int { items[position] }
  }

  struct RawList: Defaults.CollectionSerializable, RawRepresentable {
    var items: [Int] = []
    init(_ elements: [Int]) { items = elements }
    var startIndex: Int { 0 }
    var endIndex: Int { items.count }
    func index(after index: Int) -> Int { index + 1 }
    subscript(position: Int) -> Int { items[position] }
    var rawValue: Int { items.count }
    init?(rawValue: Int) { nil }
  }

  struct CodedRawList: Defaults.CollectionSerializable, Codable, RawRepresentable {
    var items: [Int] = []
    init(_ elements: [Int]) { items = elements }
    var startIndex: Int { 0 }
    var endIndex: Int { items.count }
    func index(after index: Int) -> Int { index + 1 }
    subscript(position: Int) -> Int { items[position] }
    var rawValue: Int { items.count }
    init?(rawValue: Int) { nil }
  }

  struct CodedSet: ForwardingSet, Defaults.SetAlgebraSerializable, Codable {
    var store: Set<Int> = []
    init() {}
  }

  struct RawSet: ForwardingSet, Defaults.SetAlgebraSerializable, RawRepresentable {
    var store: Set<Int> = []
    init() {}
    var rawValue: Int { store.count }
    init?(rawValue: Int) { nil }
  }

  struct CodedRawSet: ForwardingSet, Defaults.SetAlgebraSerializable, Codable,
    RawRepresentable
  {
    var store: Set<Int> = []
    init() {}
    var rawValue: Int { store.count }
    init?(rawValue: Int) { nil }
  }
}
