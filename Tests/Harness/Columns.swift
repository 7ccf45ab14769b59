import DefaultsText

/// Lines of cells, set in columns.
package struct Columns {
  /// How many columns of the terminal each column takes.
  package let widths: [Int]
  /// The columns whose cells stand at the right, as numbers do.
  package let rightAligned: ClosedRange<Int>

  /// The columns of these lines, each as wide as its longest cell.
  package init(of lines: [[String]], atLeast least: Int = 0, rightAligned: ClosedRange<Int>) {
    let count = lines.map(\.count).max() ?? 0
    widths = (0..<count).map { column in
      max(
        least,
        lines.map { column < $0.count ? TerminalColumns.count(of: $0[column]) : 0 }.max() ?? 0)
    }
    self.rightAligned = rightAligned
  }

  /// The cells of a line, as wide as their columns.
  package func pad(_ line: [String]) -> [String] {
    zip(line, widths).enumerated().map { column, cell in
      let space = String(repeating: " ", count: cell.1 - TerminalColumns.count(of: cell.0))
      return rightAligned.contains(column) ? space + cell.0 : cell.0 + space
    }
  }
}

extension Int {
  /// In digits, with a comma at the thousands.
  package var grouped: String {
    let digits = Array(String(magnitude))
    let text = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
    }.joined()
    return self < 0 ? "-\(text)" : text
  }
}
