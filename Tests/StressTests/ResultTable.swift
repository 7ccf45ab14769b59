import Harness

/// The rows, aligned in columns.
struct ResultTable: CustomStringConvertible {
  private static let titles = ["row", "tried", "times", "lost", "lost (UserDefaults)", "figures"]

  var rows: [Row] = []

  var description: String {
    let lines = [Self.titles] + rows.flatMap(Self.cells)
    // Numbers are right-aligned. The last column isn't padded.
    let columns = Columns(of: lines.map { $0.dropLast() }, rightAligned: 2...3)
    let rule = columns.widths.map { String(repeating: "-", count: $0) } + ["-------"]
    return ([lines[0], rule] + lines.dropFirst()).map { cells in
      (columns.pad(cells) + cells.suffix(1)).joined(separator: "  ")
    }.joined(separator: "\n")
  }

  /// The figures for the documentation: the tries and losses of each campaign in all of its rows.
  var numbers: [String: String] {
    var numbers: [String: String] = [:]
    // A campaign that couldn't run has no figures.
    for (name, rows) in Dictionary(grouping: rows.filter { $0.times > 0 }, by: \.name) {
      numbers[name] = rows.map(\.times).reduce(0, +).grouped
      numbers["\(name): lost"] = rows.map(\.lost).reduce(0, +).grouped
      if let reference = rows.compactMap(\.reference).first {
        numbers["\(name): lost by UserDefaults"] =
          "\(reference.lost.grouped) of \(reference.tried.grouped)"
      }
    }
    return numbers
  }

  /// A row has a line for each of its figures.
  private static func cells(of row: Row) -> [[String]] {
    let reference =
      row.reference.map { reference in
        "\(reference.lost.grouped) of \(reference.tried.grouped)"
          + (reference.remark.isEmpty ? "" : ", \(reference.remark)")
      } ?? "-"
    let first = [row.name, row.what, row.times.grouped, row.lost.grouped, reference]
    let figures =
      row.figures + (row.failures.isEmpty ? [] : ["\(row.failures.count.grouped) FAILURES"])
    return [first + [figures.first ?? ""]]
      + figures.dropFirst().map { Array(repeating: "", count: first.count) + [$0] }
  }
}
