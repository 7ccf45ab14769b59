import Defaults
import DefaultsText

/// Formats rows as lines with aligned columns. Rows may have different numbers of cells.
///
/// If a line is wider than `width`, the widest cells are truncated with an ellipsis, except in the
/// first column. Very wide cells don't widen their column further, since each other row would get
/// as many spaces.
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

/// The number of terminal columns that a cell occupies.
private func columns(of cell: String) -> Int { TerminalColumns.count(of: escaped(cell)) }

/// The beginning of a cell, truncated to a width.
private func cut(_ cell: String, to width: Int) -> String {
  guard columns(of: cell) > width else { return cell }
  var start = cell.prefix(width - 1)
  while columns(of: String(start)) > width - 1 { start.removeLast() }
  return start + "…"
}

/// Narrows the widest columns until the line fits. Each keeps at least six letters.
private func shorten(_ widths: inout [Int], to width: Int) {
  var excess = widths.reduce(2 * (widths.count - 1), +) - width
  while excess > 0 {
    let candidates = widths.indices.dropFirst().filter { widths[$0] > 6 }
    guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
    widths[widest] -= 1
    excess -= 1
  }
}
