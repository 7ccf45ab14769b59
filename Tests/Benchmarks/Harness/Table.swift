import Foundation

/// The rows as a table in Markdown, whose columns are aligned.
struct Table: CustomStringConvertible {
  let rows: [Row]

  private static let head = ["line", "size", "ours", "peer", "ratio", "bar", "", "peer's name"]
  /// The columns of numbers.
  private static let rightAligned = 1...5

  var description: String {
    let cells = rows.map { row in
      [
        row.line, Self.grouped(row.size), Self.figure(row.ours, row.unit),
        Self.figure(row.peer, row.unit), Self.number(row.ratio),
        row.bar.map { "≥ " + Self.number($0.ratio) } ?? "",
        row.isMet.map { $0 ? "met" : "MISSED" } ?? "", row.peerName,
      ]
    }
    let widths = Self.head.indices.map { column in
      max(3, ([Self.head] + cells).map { $0[column].count }.max() ?? 0)
    }
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return Self.rightAligned.contains(column) ? space + cell.0 : cell.0 + space
      }
      return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = widths.enumerated().map { column, width in
      Self.rightAligned.contains(column)
        ? String(repeating: "-", count: width - 1) + ":" : String(repeating: "-", count: width)
    }
    return ([line(Self.head), "| " + rule.joined(separator: " | ") + " |"] + cells.map(line))
      .joined(separator: "\n")
  }

  private static func figure(_ figure: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .bytes: return number(figure) + " B"
    case .nanoseconds:
      let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
      guard let unit = units.first(where: { figure >= $0.0 }) else { return number(figure) + " ns" }
      return number(figure / unit.0) + " " + unit.1
    }
  }

  /// Three digits, or all before the point.
  static func number(_ number: Double) -> String {
    guard number.isFinite else { return "?" }
    if number >= 99.95 { return grouped(Int(number.rounded())) }
    return String(format: number >= 9.995 ? "%.1f" : "%.2f", number)
  }

  /// With a comma at each thousand.
  static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
