import DefaultsText

/// Rows of cells, aligned in columns.
package struct Columns {
  /// The width of each column on a terminal.
  package let widths: [Int]
  /// The right-aligned columns, such as those of numbers.
  package let rightAligned: ClosedRange<Int>

  /// Creates columns as wide as their longest cells.
  package init(of lines: [[String]], atLeast least: Int = 0, rightAligned: ClosedRange<Int>) {
    let count = lines.map(\.count).max() ?? 0
    widths = (0..<count).map { column in
      max(
        least,
        lines.map { column < $0.count ? TerminalColumns.count(of: $0[column]) : 0 }.max() ?? 0)
    }
    self.rightAligned = rightAligned
  }

  /// The cells of a line, padded to the widths of their columns.
  package func pad(_ line: [String]) -> [String] {
    zip(line, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: cell.1 - TerminalColumns.count(of: cell.0))
      return rightAligned.contains(column) ? space + cell.0 : cell.0 + space
    }
  }
}

extension Int {
  /// The digits, with commas between the thousands.
  package var grouped: String {
    let digits = Array(String(magnitude))
    let text = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
    }.joined()
    return self < 0 ? "-\(text)" : text
  }
}
