/// Lines of cells, each column as wide as its widest cell looks when it is printed. Rows may have
/// fewer cells than others.
///
/// Where a line has no room in the width that is given, the widest cells but those of the first
/// column are cut off, with an ellipsis.
package func table(_ rows: [[String]], width: Int? = nil) -> [String] {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], escaped(cell).count)
    }
  }
  if let width { shorten(&widths, to: width) }
  return rows.map { row in
    let padded = zip(row, widths).map { cell, width in
      let cell = escaped(cell)
      let shown = cell.count > width ? cell.prefix(max(width - 1, 0)) + "…" : cell[...]
      return shown + String(repeating: " ", count: max(0, width - shown.count))
    }
    let line = padded.joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}

/// Takes from the widest columns what is too much; each keeps some letters.
private func shorten(_ widths: inout [Int], to width: Int) {
  let gaps = 2 * max(widths.count - 1, 0)
  var excess = widths.reduce(gaps, +) - width
  while excess > 0 {
    let candidates = widths.indices.dropFirst().filter { widths[$0] > 6 }
    guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
    widths[widest] -= 1
    excess -= 1
  }
}
