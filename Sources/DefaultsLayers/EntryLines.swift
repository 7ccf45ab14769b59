import Defaults
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
