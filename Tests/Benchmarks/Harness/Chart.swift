import Foundation

/// Six of the ratios as bars on a logarithmic scale, in a self-contained SVG.
struct Chart {
  let rows: [Row]

  /// The peers that are drawn, with their labels, in the order of the bars.
  private static let headlines: [(line: String, size: Int, peer: String, label: String)] = [
    ("read an Int", 1_000, "UserDefaults integer(forKey:)", "read an Int"),
    (
      "read a Codable struct", 1_000, "UserDefaults data(forKey:) and JSONDecoder",
      "read a Codable struct"
    ),
    (
      "set of a changed Int", 1_000, "UserDefaults set alone, lost by a kill",
      "set an Int; UserDefaults without synchronize"
    ),
    (
      "set of a changed Int", 1_000, "UserDefaults set and synchronize",
      "set an Int; UserDefaults with synchronize"
    ),
    (
      "open and first read", 1_000, "UserDefaults(suiteName:) and integer(forKey:)",
      "open the file and read one setting"
    ),
    ("memory per mixed entry, all were read", 10_000, "UserDefaults", "memory for each setting"),
  ]

  /// As wide as a phone, so that the text isn't scaled down there.
  private static let width = 400.0
  private static let left = 12.0
  private static let plotWidth = 310.0
  private static let rowHeight = 42.0
  private static let top = 58.0
  /// A gray and an orange that are visible on white and on black, because there is one file for
  /// both.
  private static let text = "#72777e"
  private static let bar = "#e5734a"

  var svg: String {
    let bars = Self.headlines.compactMap { headline in
      rows.first {
        ($0.line, $0.size, $0.peerName) == (headline.line, headline.size, headline.peer)
      }.map { (label: headline.label, ratio: $0.ratio) }
    }.filter { $0.ratio.isFinite && $0.ratio > 0 }
    let lowest = floor(min(0, bars.map { log10($0.ratio) }.min() ?? 0))
    let highest = max(1, ceil(bars.map { log10($0.ratio) }.max() ?? 1))
    func position(_ ratio: Double) -> Double {
      Self.left + Self.plotWidth * (log10(ratio) - lowest) / (highest - lowest)
    }
    let bottom = Self.top + Double(bars.count) * Self.rowHeight
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(bottom + 8))" \
      width="\(Int(Self.width))" height="\(Int(bottom + 8))" role="img" \
      font-family="system-ui, sans-serif" font-size="13" fill="\(Self.text)">
      <title>How many times faster, or smaller, than Foundation's UserDefaults</title>
      """,
      Self.label(
        "Times faster or smaller than UserDefaults on Linux", Self.left, 20, "start", true),
    ]
    for power in Int(lowest)...Int(highest) {
      let x = position(pow(10, Double(power)))
      let tick = power < 0 ? "\(pow(10, Double(power)))" : Int(pow(10, Double(power))).grouped
      parts.append(Self.label(tick, x, Self.top - 12, power == Int(lowest) ? "start" : "middle"))
      parts.append(
        String(
          format: "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%@\" stroke-opacity=\"%@\"/>", x,
          Self.top - 6, bottom, Self.text, power == 0 ? "0.9" : "0.3"))
    }
    for (index, bar) in bars.enumerated() {
      let y = Self.top + Double(index) * Self.rowHeight
      let (one, end) = (position(1), position(bar.ratio))
      parts.append(
        String(
          format:
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" fill=\"%@\"/>",
          min(one, end), y + 22, max(1, abs(end - one)), Self.rowHeight - 26, Self.bar))
      parts.append(Self.label(bar.label, Self.left + 4, y + 16, "start"))
      parts.append(Self.label(Table.number(bar.ratio), max(one, end) + 6, y + 34.5, "start", true))
    }
    return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private static func label(
    _ text: String, _ x: Double, _ y: Double, _ anchor: String, _ isBold: Bool = false
  ) -> String {
    let escaped = text.replacingOccurrences(of: "&", with: "&amp;")
      .replacingOccurrences(of: "<", with: "&lt;")
    return String(
      format: "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%@\"%@>%@</text>", x, y, anchor,
      isBold ? " font-weight=\"600\"" : "", escaped)
  }
}
