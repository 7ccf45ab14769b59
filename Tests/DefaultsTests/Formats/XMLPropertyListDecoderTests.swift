import Foundation
import Testing

@testable import Defaults

@Suite("Decoder of XML property lists")
struct XMLPropertyListDecoderTests {
  typealias Value = Defaults.PropertyListValue

  private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">"

  private func decode(_ text: String) throws -> [String: Value] {
    try XMLPropertyListDecoder.decode(Data(text.utf8))
  }

  private func value(_ element: String) throws -> Value? {
    try decode("\(Self.head)<dict><key>k</key>\(element)</dict></plist>")["k"]
  }

  /// The offset of the element that `value` adds to its document.
  private static let start = head.utf8.count + "<dict><key>k</key>".utf8.count

  private func expectError(
    _ reason: String, at offset: Int?, in element: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      throws: Defaults.ConversionError(reason, offset: offset.map { $0 + Self.start }),
      sourceLocation: sourceLocation
    ) { try value(element) }
  }

  @Test(
    "XML elements are decoded to their values",
    arguments: [
      ("<true/>", true), ("<false></false>", false), ("<true />", true), ("<string/>", ""),
      ("<string> a\n</string>", " a\n"),
      ("<string>a<![CDATA[<key>&amp;]]>b</string>", "a<key>&amp;b"),
      ("<string><![CDATA[]]></string>", ""), ("<string>a<!-- c -->b</string>", "ab"),
      ("<string>a<!--> b -->c</string>", "ac"), ("<string>a<!---> b -->c</string>", "ac"),
      ("<string>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&#xd;</string>", "<>&\"'A😀\r"),
      ("<string>a\r\n\rb\r\r\nc\0\u{1}\r</string>", "a\n\nb\n\nc\0\u{1}\n"),
      ("<string>\r<![CDATA[\na\r\n]]>\n&#13;\n&#xd;\r</string>", "\n\na\n\n\r\n\r\n"),
      ("<string>\u{feff}</string>", "\u{feff}"),
      ("<string>&#0;</string>", "\0"), ("<string>a]]>b></string>", "a]]>b>"),
      ("<string >x</string >", "x"), ("<string>e&#x301;</string>", "e\u{301}"),
      ("<integer>5</integer>", 5), ("<integer> -5 \n</integer>", -5), ("<integer>+5</integer>", 5),
      ("<integer>0x1F</integer>", 31), ("<integer>-0x10</integer>", -16),
      ("<integer>-9223372036854775808</integer>", .integer(.min)),
      ("<integer>9223372036854775807</integer>", .integer(.max)),
      ("<integer>18446744073709551615</integer>", .unsignedInteger(.max)),
      ("<integer>-0</integer>", 0), ("<real>1</real>", 1.0), ("<real> -0.0 </real>", -0.0),
      ("<real>1e-3</real>", 0.001), ("<real>nan</real>", .real(.nan)),
      ("<real>+infinity</real>", .real(.infinity)), ("<real>-Infinity</real>", .real(-.infinity)),
      ("<data/>", .data(Data())), ("<data>\n A Q\tID\n</data>", .data(Data([1, 2, 3]))),
      ("<data>AQ==</data>", .data(Data([1]))),
      ("<date>2001-01-01T00:00:00Z</date>", date(0)),
      ("<date> 2000-12-31T23:59:59Z </date>", date(-1)),
      ("<date>2024-02-29T00:00:00Z</date>", date(730_857_600)),
      ("<date>0001-01-01T00:00:00Z</date>", date(-63_113_904_000)),
      ("<date>9999-12-31T23:59:59Z</date>", date(252_423_993_599)),
      ("<date>10240-01-28T06:13:20Z</date>", date(260_000_000_000)),
      ("<date>-028-12-03T06:13:20Z</date>", date(-64_000_000_000)),
      ("<array/>", []), ("<array><!-- <true/> --><true/><?pi?></array>", [true]), ("<dict/>", [:]),
      ("<dict><key/><array></array></dict>", ["": []]),
      ("<dict><key>CF$UID</key><integer>1</integer></dict>", ["CF$UID": 1]),
    ] as [(String, Value)])
  func elements(element: String, expected: Value) throws {
    #expect(try value(element) == expected)
  }

  private static func date(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  @Test(
    "Invalid XML elements are rejected",
    arguments: [
      ("<foo/>", "<foo> isn't known", 0), ("<TRUE/>", "<TRUE> isn't known", 0),
      ("<string a=\"b\">x</string>", "the tag isn't closed", 0),
      ("<true>x</true>", "</true> was expected", 6),
      ("<string>a<b/></string>", "</string> was expected", 9),
      ("<string>a</integer>", "</string> was expected", 9), ("x<true/>", "a tag was expected", 0),
      ("<string>&foo;</string>", "the reference isn't known", 8),
      ("<string>&#xd800;</string>", "the reference isn't known", 8),
      ("<string>&#x110000;</string>", "the reference isn't known", 8),
      ("<string>&#99999999999;</string>", "the reference isn't known", 8),
      ("<string>&#+5;</string>", "the reference isn't known", 8),
      ("<string>&#-0;</string>", "the reference isn't known", 8),
      ("<string>&;</string>", "the reference isn't known", 8),
      ("<string>& and so on, without an end of it</string>", "a reference has no end", 8),
      ("<integer/>", "the integer has no digits", 0),
      ("<integer>-</integer>", "the integer has no digits", 0),
      ("<integer>+-5</integer>", "the integer has no digits", 0),
      ("<integer>0x</integer>", "the integer has no digits", 0),
      ("<integer>5.5</integer>", "the integer doesn't fit 64 bits", 0),
      ("<integer>18446744073709551616</integer>", "the integer doesn't fit 64 bits", 0),
      ("<integer>-9223372036854775809</integer>", "the integer doesn't fit 64 bits", 0),
      ("<integer>٣</integer>", "the integer doesn't fit 64 bits", 0),
      ("<real></real>", "the real isn't a number", 0),
      ("<real>1,5</real>", "the real isn't a number", 0),
      ("<real>0x1p3</real>", "the real isn't a number", 0),
      ("<real>nan(5)</real>", "the real isn't a number", 0),
      ("<real>1e400</real>", "the real is too large for 64 bits", 0),
      ("<data>!!!!</data>", "the data isn't base64", 0),
      ("<data>AQI</data>", "the data isn't base64", 0),
      ("<data>AQ==AQ==</data>", "the data isn't base64", 0),
      ("<date/>", form, 0), ("<date>2020-01-01</date>", form, 0),
      ("<date>2020-01-01T00:00:00.5Z</date>", form, 0),
      ("<date>2020-1-01T00:00:00Z</date>", form, 0),
      ("<date>+020-01-01T00:00:00Z</date>", form, 0),
      ("<date>--28-01-01T00:00:00Z</date>", form, 0),
      ("<date>2147483647-10-25T01:46:00Z</date>", form, 0),
      ("<date>2020-99-01T00:00:00Z</date>", "the day or time doesn't exist", 0),
      ("<date>2023-02-29T00:00:00Z</date>", "the day or time doesn't exist", 0),
      ("<date>1900-02-29T00:00:00Z</date>", "the day or time doesn't exist", 0),
      ("<date>2020-00-01T00:00:00Z</date>", "the day or time doesn't exist", 0),
      ("<date>2020-01-01T24:00:00Z</date>", "the day or time doesn't exist", 0),
      ("<date>2030437302-06-07T24:60:-2147483648Z</date>", form, 0),
      ("<true/><key>k</key><false/>", "the key \"k\" appears twice in a dictionary", 7),
      ("<true/><key>&#107;</key><false/>", "the key \"k\" appears twice in a dictionary", 7),
      ("<true/><key>q</key>", "a key has no value", 7),
      ("<true/><true/>", "a <key> was expected", 7),
      ("<array><true/>", "</array> was expected", 14),
      ("<!-- never ends", "a comment has no end", 4),
      ("<string><![CDATA[", "a CDATA section has no end", 17),
    ] as [(String, String, Int)])
  func refused(element: String, reason: String, offset: Int) {
    expectError(reason, at: offset, in: element)
  }

  private static let form = "the date isn't of the form 2001-01-01T00:00:00Z"

  @Test("Keys that differ only in Unicode composition are rejected, so that no entry is lost")
  func canonicalKeys() {
    expectError(
      "two keys differ only in the Unicode composition of \"e\u{301}\", and would become one",
      at: 27,
      in: "<true/><key>\u{e9}</key><true/><key>e\u{301}</key><true/>")
  }

  @Test("Text around the property list is skipped if valid and otherwise rejected")
  func document() throws {
    let doctype = "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://x/y.dtd\">"
    for sound in [
      "<plist><dict/></plist>", "\u{feff}\(Self.head)<dict/></plist>\n<!-- end -->\n",
      " \n\(Self.head)<dict/></plist>", "\(doctype)<plist><dict/></plist>",
      "<?xml version = '1.0' encoding = 'utf-8' ?><plist><dict/></plist>",
      "<?xml version='1.0' encoding='utf-8'?>\(doctype)<!-- a --><plist ><dict/> </plist >",
    ] {
      #expect(try decode(sound).isEmpty)
    }
    let damaged: [(String, String, Int?)] = [
      ("<plist><dict/></plist>x", "there is text after </plist>", 22),
      ("<plist><dict/></plist><plist/>", "there is text after </plist>", 22),
      ("<plist><dict/><dict/></plist>", "</plist> was expected", 14),
      ("<plist></plist>", "the <plist> is empty", 7), ("<plist/>", "there is no <plist>", 8),
      ("<?xml version=\"1.0\"?><dict/>", "there is no <plist>", 28),
      ("<plist><dict>", "</dict> was expected", 13), ("<plist>", "the <plist> is empty", 7),
      ("<plist", "the tag isn't closed", 0), ("<?xml ", "the XML declaration has no end", 0),
      ("<plist><array/></plist>", "the root isn't a dictionary", nil),
      (
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><dict/></plist>",
        "only UTF-8 can be read, not ISO-8859-1", 0
      ),
      (
        "<?xml version = \"1.0\" encoding\n= 'ISO-8859-1' ?><plist><dict/></plist>",
        "only UTF-8 can be read, not ISO-8859-1", 0
      ),
    ]
    for (text, reason, offset) in damaged {
      #expect(throws: Defaults.ConversionError(reason, offset: offset)) { try decode(text) }
    }
  }

  @Test("XML text that isn't UTF-8 is rejected")
  func encoding() {
    var data = Data("<plist><dict><key>k</key><string>".utf8)
    data += [0x41, 0xff]
    data += Data("</string></dict></plist>".utf8)
    #expect(throws: Defaults.ConversionError("the text isn't UTF-8", offset: 33)) {
      try XMLPropertyListDecoder.decode(data)
    }
  }

  @Test("A file with CR LF line breaks is read like the same file with LF")
  func lineBreaks() throws {
    let text = "\(Self.head)\n<dict>\n<key>a\nb</key>\n<string>x\n\ty\n</string>\n</dict>\n</plist>"
    let entries = try decode(text.replacing("\n", with: "\r\n"))
    #expect(entries == ["a\nb": "x\n\ty\n"])
    #expect(throws: Never.self) { try Defaults.PropertyListFormat.xml.encode(entries) }
    // The offset is the one in the file.
    expectError("<foo> isn't known", at: 29, in: "<array><string>\r\n</string>\r\n\r<foo/>")
  }

  @Test("Entities can't be declared, so a billion laughs don't expand")
  func entities() {
    let laughs =
      "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>"
      + "<plist><dict><key>k</key><string>&b;</string></dict></plist>"
    #expect(
      throws: Defaults.ConversionError(
        "a document type with declarations can't be read", offset: 21)
    ) { try decode(laughs) }
  }

  @Test("XML nesting is limited to 256 levels, and a million levels are rejected safely")
  func depth() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "<array>", count: levels) + String(repeating: "</array>", count: levels)
    }
    let limit = Value.maximumDepth
    #expect(try value(nested(limit))?.isDeeper(than: limit - 1) == true)
    for levels in [limit + 1, 1_000_000] {
      expectError("the value has more than 256 levels", at: 7 * limit, in: nested(levels))
    }
  }

  @Test("Keys made to collide in Foundation's hash cost no more than other keys")
  func collisions() throws {
    let same = String(repeating: "x", count: 40)
    let keys = (0..<3_000).map { "\(same)\(1_000_000 + $0)\(same)\(same)" }
    let text = keys.map { "<key>\($0)</key><true/>" }.joined()
    #expect(try decode("<plist><dict>\(text)</dict></plist>").count == keys.count)
  }
}
