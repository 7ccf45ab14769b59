import Foundation
import Harness

/// The rows as a Markdown table with aligned columns.
struct Table: CustomStringConvertible {
  let rows: [Row]

  private static let head = ["line", "size", "ours", "peer", "ratio", "bar", "", "peer's name"]
  /// The columns of numbers.
  private static let rightAligned = 1...5

  var description: String {
    let cells = rows.map { row in
      [
        row.line, row.size.grouped, Self.figure(row.ours, row.unit),
        Self.figure(row.peer, row.unit), Self.number(row.ratio),
        row.bar.map { "≥ " + Self.number($0.ratio) } ?? "",
        row.isMet.map { $0 ? "met" : "MISSED" } ?? "", row.peerName,
      ]
    }
    let columns = Columns(
      of: [Self.head] + cells, atLeast: 3, rightAligned: Self.rightAligned)
    func line(_ cells: [String]) -> String {
      "| " + columns.pad(cells).joined(separator: " | ") + " |"
    }
    let rule = columns.widths.enumerated().map { column, width in
      Self.rightAligned.contains(column)
        ? String(repeating: "-", count: width - 1) + ":" : String(repeating: "-", count: width)
    }
    return ([line(Self.head), "| " + rule.joined(separator: " | ") + " |"] + cells.map(line))
      .joined(separator: "\n")
  }

  static func figure(_ figure: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .bytes: return number(figure) + " B"
    case .nanoseconds:
      let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
      guard let unit = units.first(where: { figure >= $0.0 }) else { return number(figure) + " ns" }
      return number(figure / unit.0) + " " + unit.1
    }
  }

  /// Three significant digits, or all digits before the point.
  static func number(_ number: Double) -> String {
    guard number.isFinite else { return "?" }
    if number >= 99.95 { return Int(number.rounded()).grouped }
    return String(format: number >= 9.995 ? "%.1f" : "%.2f", number)
  }
}
