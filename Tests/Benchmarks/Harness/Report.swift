import Foundation

/// The figures of a run in all output formats.
struct Report {
  let rows: [Row]

  /// A list of objects with `line`, `size`, `ours`, `peer`, `peer name`, `ratio` and `unit`; with a
  /// bar also `bar`, the minimum ratio, and `met`.
  func json() throws -> Data {
    let objects = rows.map { row in
      Entry(
        line: row.line, size: row.size, ours: row.ours, peer: row.peer, peerName: row.peerName,
        ratio: row.ratio, unit: row.unit.rawValue, bar: row.bar?.ratio, met: row.isMet)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(objects) + Data("\n".utf8)
  }

  private struct Entry: Encodable {
    let line: String
    let size: Int
    let ours: Double
    let peer: Double
    let peerName: String
    let ratio: Double
    let unit: String
    let bar: Double?
    let met: Bool?

    private enum CodingKeys: String, CodingKey {
      case line, size, ours, peer, ratio, unit, bar, met
      case peerName = "peer name"
    }
  }

  /// The figures for the documentation. The library's are named by line and size, those of each
  /// peer, and the ratio, also by the peer's name.
  var numbers: [String: String] {
    var numbers: [String: String] = [:]
    for row in rows {
      let line = "\(row.line), \(row.size)"
      numbers[line] = Table.figure(row.ours, row.unit)
      numbers["\(line), \(row.peerName)"] = Table.figure(row.peer, row.unit)
      numbers["\(line), \(row.peerName): times"] = Table.number(row.ratio)
    }
    return numbers
  }

  /// The rows that missed their bars.
  var missed: [Row] { rows.filter { $0.isMet == false } }
}
