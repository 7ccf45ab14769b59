/// The rows, set in columns.
struct ResultTable: CustomStringConvertible {
  private static let titles = ["row", "tried", "times", "lost", "lost (UserDefaults)", "figures"]

  var rows: [Row] = []

  var description: String {
    let lines = [Self.titles] + rows.flatMap(Self.cells)
    // The last column isn't padded.
    let widths = Self.titles.indices.dropLast().map { column in
      lines.map { $0[column].count }.max() ?? 0
    }
    let rule = widths.map { String(repeating: "-", count: $0) } + ["-------"]
    return ([lines[0], rule] + lines.dropFirst()).map { cells in
      zip(cells.indices, cells).map { column, cell in
        guard column < widths.count else { return cell }
        let space = String(repeating: " ", count: widths[column] - cell.count)
        // Numbers stand at the right of their column.
        return 2...3 ~= column ? space + cell : cell + space
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  /// A row takes a line for each of its figures.
  private static func cells(of row: Row) -> [[String]] {
    let reference =
      row.reference.map { reference in
        "\(grouped(reference.lost)) of \(grouped(reference.tried))"
          + (reference.remark.isEmpty ? "" : ", \(reference.remark)")
      } ?? "-"
    let first = [row.name, row.what, grouped(row.times), grouped(row.lost), reference]
    let figures =
      row.figures + (row.failures.isEmpty ? [] : ["\(grouped(row.failures.count)) FAILURES"])
    return [first + [figures.first ?? ""]]
      + figures.dropFirst().map { Array(repeating: "", count: first.count) + [$0] }
  }

  /// A number with a comma at the thousands.
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let text = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
    }.joined()
    return number < 0 ? "-\(text)" : text
  }
}
