import DefaultsCommand
import Testing

@Suite("Lines of standard input")
struct InputLinesTests {
  /// The lines of a text that arrives in parts; nil for a line that is too long.
  private func lines(of text: String, parts: Int, limit: Int) -> [String?] {
    var lines = InputLines(limit: limit)
    var found: [String?] = []
    let body: (ArraySlice<UInt8>?) -> Void = { line in
      found.append(line.map { String(decoding: $0, as: UTF8.self) })
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      lines.append(rest.prefix(parts), body)
      rest = rest.dropFirst(parts)
    }
    lines.end(body)
    return found
  }

  @Test(
    "A line beyond the limit is dropped and reported once, and the lines around it are read",
    arguments: 1...9)
  func limit(parts: Int) {
    #expect(lines(of: "abcd\n12345\n\nef", parts: parts, limit: 4) == ["abcd", nil, "", "ef"])
    #expect(lines(of: "123456789\na\n", parts: parts, limit: 4) == [nil, "a"])
    #expect(lines(of: "a\n123456789", parts: parts, limit: 4) == ["a", nil])
    #expect(lines(of: "12345\n67890\n", parts: parts, limit: 4) == [nil, nil])
    #expect(lines(of: "", parts: parts, limit: 4) == [])
  }
}
