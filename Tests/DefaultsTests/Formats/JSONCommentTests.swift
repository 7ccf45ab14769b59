import Defaults
import Foundation
import Testing

@Suite("JSON with comments")
struct JSONCommentTests {
  private func decode(_ text: String) throws -> [String: Defaults.PropertyListValue] {
    try Defaults.JSONFormat(allowsComments: true).decode(Data(text.utf8))
  }

  @Test("Comments and commas after the last element are read in every place")
  func everywhere() throws {
    let text = """
      // The sound.
      {
        "volume": 5, // a comment to the end of the line
        /* one
           of several lines ** / */ "names" /**/ : /* before a value */ [1, 2, /* last */],
        "nested": {"a": {"$integer": "1" /* in a tag */ },},
        "text": "// not a comment /* nor this */",
      } // at the end without a line break
      """
    #expect(
      try decode(text) == [
        "volume": 5, "names": [1, 2], "nested": ["a": 1],
        "text": "// not a comment /* nor this */",
      ])
    #expect(try decode("{/**/}//") == [:])
    #expect(try decode("{} // with the line endings of Windows\r\n/* and after */\r\n") == [:])
  }

  @Test(
    "A comma after the only member of a tagged value is read with comments, and no other member",
    arguments: [
      "\"$integer\": \"1\"", "\"$real\": \"nan\"", "\"$data\": \"AA==\"",
      "\"$date\": \"2026-11-21T13:03:44Z\"",
    ])
  func commaInTag(member: String) throws {
    #expect(try decode("{\"a\": {\(member),\n}}") == decode("{\"a\": {\(member)}}"))
    for text in ["{\"a\": {\(member), \"b\": 1}}", "{\"a\": {\(member),,}}"] {
      #expect(throws: Defaults.ConversionError.self) { try decode(text) }
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.JSONFormat().decode(Data("{\"a\": {\(member),}}".utf8))
    }
  }

  @Test("Strict JSON rejects each comment and each comma after the last element")
  func strict() {
    for text in ["// a\n{}", "{} /* a */", "{\"a\": [1,]}", "{\"a\": 1,}"] {
      #expect(throws: Defaults.ConversionError.self) {
        try Defaults.JSONFormat().decode(Data(text.utf8))
      }
      #expect(throws: Never.self) { try decode(text) }
    }
  }

  @Test(
    "A mistake in JSON with comments is reported with its reason and offset",
    arguments: [
      ("{/* a", "the comment has no end", 1), ("{/*/", "the comment has no end", 1),
      ("{} /", "a comment begins with // or /*", 3), ("{/ }", "a comment begins with // or /*", 1),
      ("{,}", "a string was expected", 1), ("{\"a\": 1,,}", "a string was expected", 8),
      ("{\"a\": [1,,]}", "a value was expected", 9), ("{\"a\": [,]}", "a value was expected", 7),
      ("{\"a\" // 1}", "the text ends too early", 10),
      ("{\"a\": 1 // }", "the text ends too early", 12),
    ])
  func mistakes(text: String, reason: String, offset: Int) {
    let error = #expect(throws: Defaults.ConversionError.self) { try decode(text) }
    #expect(error?.reason == reason)
    #expect(error?.offset == offset)
  }

  @Test("The format .jsonc imports comments and exports the same text as .json")
  func exchange() throws {
    let suite = Defaults.MemorySuite()
    try suite.importEntries(from: "{\"a\": 1, /* b */}", as: .jsonc)
    #expect(suite.entries == ["a": 1])
    #expect(try suite.exportString(as: .jsonc) == suite.exportString(as: .json))
  }
}
