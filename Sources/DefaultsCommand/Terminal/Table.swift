import Defaults
import DefaultsText

/// Lines of cells, each column as wide as its widest cell looks when it is printed. Rows may have
/// fewer cells than others.
///
/// Where a line has no room in the width that is given, the widest cells but those of the first
/// column are cut off, with an ellipsis. A cell that is wider than any screen doesn't widen its
/// column further: that would be as many spaces in each other line.
package func table(_ rows: [[String]], width: Int? = nil) -> [String] {
  let widest = max(width ?? 0, 400)
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], min(columns(of: cell), widest))
    }
  }
  if let width { shorten(&widths, to: width) }
  return rows.map { row in
    var line = ""
    for (column, cell) in row.enumerated() {
      let cell = width == nil ? cell : cut(cell, to: widths[column])
      line += cell
      guard row[(column + 1)...].contains(where: { !$0.isEmpty }) else { break }
      line += String(repeating: " ", count: max(0, widths[column] - columns(of: cell)) + 2)
    }
    return line
  }
}

/// The number of columns that a cell takes when it is printed.
private func columns(of cell: String) -> Int { TerminalColumns.count(of: escaped(cell)) }

/// The beginning of a cell that looks wider than it may be.
private func cut(_ cell: String, to width: Int) -> String {
  guard columns(of: cell) > width else { return cell }
  var start = cell.prefix(width - 1)
  while columns(of: String(start)) > width - 1 { start.removeLast() }
  return start + "…"
}

/// Takes from the widest columns what is too much; each keeps some letters.
private func shorten(_ widths: inout [Int], to width: Int) {
  var excess = widths.reduce(2 * (widths.count - 1), +) - width
  while excess > 0 {
    let candidates = widths.indices.dropFirst().filter { widths[$0] > 6 }
    guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
    widths[widest] -= 1
    excess -= 1
  }
}
