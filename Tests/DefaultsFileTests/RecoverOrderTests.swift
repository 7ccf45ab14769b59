import Defaults
import Foundation
import TestSupport
import Testing

@testable import DefaultsFile

@Suite("Recovery of binary files with entries in any order", .tags(.slow))
struct RecoverOrderTests {
  typealias Entry = (name: String, value: Defaults.PropertyListValue)

  private static let samples: [[Entry]] = [
    [("on", true), ("theme", "dark"), ("off", true), ("volume", 300)],
    [("on", false), ("size", [1, "dark"]), ("recent", ["a": 1]), ("volume", 300)],
    [("a", 7), ("b", 8), ("c", 9), ("d", 7), ("e", [7, 8])],
    [("a", "b"), ("b", [[1], [2, [3]]]), ("c", "a"), ("d", []), ("e", 1)],
  ]

  @Test(
    "With lost reference bytes, recovery never silently assigns a value to the wrong entry",
    arguments: samples.indices)
  func pairing(index: Int) throws {
    let orders = Self.orders(of: Self.samples[index])
    // All orders of four entries, and as many of five.
    for number in stride(from: 0, to: orders.count, by: orders.count / 24) {
      let entries = orders[number]
      let file = OrderedFile(entries)
      #expect(Salvage.read(file.bytes)?.isSound == true)
      for start in 8..<file.rootEnd + 6 {
        for length in 1...8 {
          var deletion = file.bytes
          deletion.removeSubrange(start..<start + length)
          Self.check(deletion, entries, "\(length) bytes less at \(start)")
          var insertion = file.bytes
          // Numbers that may be references.
          insertion.insert(contentsOf: (0..<length).map { UInt8(($0 * 5 + start) % 12) }, at: start)
          Self.check(insertion, entries, "\(length) bytes more at \(start)")
        }
      }
    }
  }

  @Test("Recovery keeps the values of entries before and after lost references")
  func rest() {
    let names = (0..<12).map { "n\($0)" }
    let entries: [Entry] = names.map { ($0, .string("v\($0)")) }
    let file = OrderedFile(entries)
    var bytes = file.bytes
    // The references to the values of the sixth and the seventh entry.
    let start = file.rootEnd - 12 + 5
    bytes.removeSubrange(start..<start + 2)
    let found = Salvage.read(bytes)
    #expect(found?.entries.keys.sorted() == (names[..<5] + names[7...]).sorted())
    Self.check(bytes, entries, "two bytes less")
  }

  private static func check(_ bytes: [UInt8], _ entries: [Entry], _ damage: Comment) {
    guard let found = Salvage.read(bytes) else { return }
    let isSaid = found.losses.contains { $0.contains("the value of another entry") }
    for (name, value) in entries {
      guard !isSaid, let other = found.entries[name], other != value else { continue }
      #expect(!entries.contains { $0.value == other }, "\(damage) of \(entries): \(name)")
    }
  }

  private static func orders(of entries: [Entry]) -> [[Entry]] {
    guard entries.count > 1 else { return [entries] }
    return entries.indices.flatMap { index in
      var rest = entries
      let first = rest.remove(at: index)
      return orders(of: rest).map { [first] + $0 }
    }
  }
}

/// A small binary property list whose root has its entries in a given order, with the object
/// numbers that Foundation assigns.
private struct OrderedFile {
  typealias Value = Defaults.PropertyListValue

  private var objects: [[UInt8]] = [[]]
  private var known: [Value: Int] = [:]
  private(set) var bytes = Array("bplist00".utf8)
  private(set) var rootEnd = 0

  init(_ entries: [RecoverOrderTests.Entry]) {
    objects[0] = dictionary(entries)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    rootEnd = bytes.count - objects[1...].reduce(0) { $0 + $1.count }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [objects.count, 0, table] {
      bytes += withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
    }
  }

  /// The index of the object of a value; equal values share it unless they are collections.
  private mutating func index(of value: Value) -> UInt8 {
    if let index = known[value] { return UInt8(index) }
    let index = objects.count
    objects.append([])
    switch value {
    case .bool(let value): objects[index] = [value ? 9 : 8]
    case .integer(let value):
      objects[index] = [0x11] + withUnsafeBytes(of: UInt16(value).bigEndian, Array.init)
    case .string(let text): objects[index] = [0x50 + UInt8(text.utf8.count)] + text.utf8
    case .array(let elements):
      objects[index] = [0xa0 + UInt8(elements.count)] + elements.map { self.index(of: $0) }
      return UInt8(index)
    case .dictionary(let content):
      objects[index] = dictionary(content.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
      return UInt8(index)
    default: fatalError("\(value)")
    }
    known[value] = index
    return UInt8(index)
  }

  private mutating func dictionary(_ entries: [RecoverOrderTests.Entry]) -> [UInt8] {
    let names = entries.map { index(of: .string($0.name)) }
    return [0xd0 + UInt8(entries.count)] + names + entries.map { index(of: $0.value) }
  }
}
