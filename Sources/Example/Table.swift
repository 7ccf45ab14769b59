/// Lines of cells, each column as wide as its widest cell looks when it is printed. Rows may have
/// fewer cells than others.
func table(_ rows: [[String]]) -> [String] {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], escaped(cell).count)
    }
  }
  return rows.map { row in
    let padded = zip(row, widths).map { cell, width in
      cell + String(repeating: " ", count: width - escaped(cell).count)
    }
    return (padded.dropLast() + row.suffix(1)).joined(separator: "  ")
  }
}
