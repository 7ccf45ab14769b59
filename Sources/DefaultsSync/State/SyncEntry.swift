import Defaults
import Foundation

/// A change of a device: its author and its number among the author's changes.
package struct SyncChange: Hashable, Sendable {
  package let device: String
  package let number: UInt64

  package init(device: String, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// An entry of a setting, or its removal, as one change made it.
package struct SyncEntry: Hashable, Sendable {
  package let edit: Edit
  /// The time of the change in microseconds since 1970 by the author's clock, or later; see
  /// ``SyncState``.
  package let version: UInt64
  package let change: SyncChange
  /// The newest version that the change replaced; 0 for none.
  package let replaced: UInt64

  package init(edit: Edit, version: UInt64, change: SyncChange, replaced: UInt64) {
    self.edit = edit
    self.version = version
    self.change = change
    self.replaced = replaced
  }

  /// The approximate size in a file, in bytes.
  var size: Int { 112 + change.device.utf8.count + (edit.entry?.syncedSize ?? 0) }
}

extension SyncEntry: Comparable {
  /// The order in which the last of several concurrent entries wins.
  package static func < (left: Self, right: Self) -> Bool {
    if left.version != right.version { return left.version < right.version }
    if left.change.device != right.change.device { return left.change.device < right.change.device }
    if left.change.number != right.change.number { return left.change.number < right.change.number }
    if left.replaced != right.replaced { return left.replaced < right.replaced }
    switch (left.edit.entry, right.edit.entry) {
    case (let left?, let right?): return left.compare(to: right) < 0
    case (let left, let right): return left == nil && right != nil
    }
  }
}

extension PropertyListValue {
  /// The approximate size in a file, in bytes.
  fileprivate var syncedSize: Int {
    switch self {
    case .bool: 5
    case .integer, .unsignedInteger, .real: 20
    case .date: 40
    case .string(let text): 2 + text.utf8.count
    case .data(let data): 16 + data.count / 3 * 4
    case .array(let elements): elements.reduce(2) { $0 + 1 + $1.syncedSize }
    case .dictionary(let elements):
      elements.reduce(2) { $0 + 4 + $1.key.utf8.count + $1.value.syncedSize }
    }
  }
}

extension Defaults {
  /// Returns a value as JSON without white space.
  static func jsonLine(of value: PropertyListValue) -> String {
    var writer = JSONWriter(hasLines: false)
    writer.write(value)
    return String(decoding: writer.finish(), as: UTF8.self)
  }
}

/// A device as the others know it.
package struct SyncDevice: Hashable, Sendable {
  /// The name for people, of at most 100 bytes.
  package private(set) var name: String
  /// The number of files that it has written.
  package var files: UInt64
  /// The time at which it wrote its latest file, by its own clock, in microseconds since 1970.
  package var seen: UInt64
  /// Whether its files no longer count. It then takes a new id.
  package var isForgotten: Bool

  package init(name: String, files: UInt64 = 0, seen: UInt64 = 0, isForgotten: Bool = false) {
    self.name = Self.shortened(name)
    self.files = files
    self.seen = seen
    self.isForgotten = isForgotten
  }

  package mutating func rename(_ name: String) { self.name = Self.shortened(name) }

  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > 100 else { return name }
    var short = String.UnicodeScalarView()
    for scalar in name.unicodeScalars.prefix(25) { short.append(scalar) }
    return String(short)
  }

  /// The approximate size in a file, in bytes.
  var size: Int { 100 + name.utf8.count }

  /// Returns the later of two descriptions, by the number of files, since clocks may be corrected.
  func joined(with other: Self) -> Self {
    var later =
      (files, seen, name) < (other.files, other.seen, other.name) ? other : self
    later.isForgotten = isForgotten || other.isForgotten
    return later
  }
}
