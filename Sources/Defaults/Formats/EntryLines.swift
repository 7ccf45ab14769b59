import Foundation

extension Defaults {
  /// Returns the line, counted from 1, of each entry's name in a JSON file or an XML property list,
  /// and of the names in nested dictionaries by their dotted path. Returns nothing for a binary or
  /// damaged file.
  package static func linesOfNames(in data: Data) -> [String: Int] {
    let offsets =
      switch PropertyListFormat.detect(data) {
      case .xml: try? XMLPropertyListDecoder.offsetsOfNames(in: data)
      case nil: try? JSONReader.offsetsOfNames(in: data)
      case .binary: [String: Int]?.none
      }
    guard let offsets else { return [:] }
    var lines: [String: Int] = [:]
    var line = 1
    var position = 0
    for (name, offset) in offsets.sorted(by: { $0.value < $1.value }) {
      line += data.dropFirst(position).prefix(offset - position).count { $0 == UInt8(ascii: "\n") }
      position = offset
      lines[name] = line
    }
    return lines
  }
}

/// The offsets of the names in a file: names of entries, and names in nested dictionaries by their
/// dotted path, unless an entry has that name.
struct NameOffsets {
  private(set) var all: [String: Int] = [:]
  /// The path of the current dictionary, with a final dot; nil in an array. Long paths aren't
  /// recorded: a hostile file could have millions of them.
  var path: String? = ""

  private static let longest = 1_000

  /// Begins the value of a name or, with nil, the elements of an array. Restore `path` at its end.
  mutating func enter(_ name: String?, at offset: Int) {
    guard let outer = path, let name else { return path = nil }
    let full = outer + name
    if outer.isEmpty || all[full] == nil { all[full] = offset }
    path = full.utf8.count < Self.longest ? full + "." : nil
  }
}
