/// An element of an HTML page as a browser finds it, by bytes: its name, its attributes and the
/// text after its start.
struct PageElement {
  let name: String
  var attributes: [(name: String, value: String)] = []
  /// The text up to the next element, with its character references.
  var text = ""

  subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

  /// All elements of a page in order, and the ends of elements as `/name`. The content of a style
  /// or a script is text.
  static func all(in html: String) -> [PageElement] {
    var elements: [PageElement] = []
    var rest = Array(html.utf8)[...]
    func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    func take(until isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
      let taken = rest.prefix { !isEnd($0) }
      rest = rest.dropFirst(taken.count)
      return taken
    }
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0a }
    _ = take { $0 == UInt8(ascii: "<") }
    while rest.popFirst() != nil {
      var element = PageElement(name: text(take { isSpace($0) || $0 == UInt8(ascii: ">") }))
      while let byte = rest.first, byte != UInt8(ascii: ">") {
        if isSpace(byte) {
          rest.removeFirst()
          continue
        }
        let name = take { isSpace($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ">") }
        var value: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: "=") {
          rest.removeFirst()
          if rest.first == UInt8(ascii: "\"") {
            rest.removeFirst()
            value = take { $0 == UInt8(ascii: "\"") }
            _ = rest.popFirst()
          } else {
            value = take { isSpace($0) || $0 == UInt8(ascii: ">") }
          }
        }
        element.attributes.append((text(name), PageElement.text(text(value))))
      }
      _ = rest.popFirst()
      if element.name == "style" || element.name == "script" {
        let end = "</\(element.name)>"
        while !rest.isEmpty, !rest.starts(with: end.utf8) {
          rest.removeFirst()
          _ = take { $0 == UInt8(ascii: "<") }
        }
      } else {
        element.text = text(take { $0 == UInt8(ascii: "<") })
      }
      elements.append(element)
    }
    return elements
  }

  /// The text of HTML without elements.
  static func text(_ html: String) -> String {
    guard html.utf8.contains(UInt8(ascii: "&")) else { return html }
    var result = String.UnicodeScalarView()
    var rest = html.unicodeScalars[...]
    let references = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ]
    while let scalar = rest.first {
      let found = references.first { rest.starts(with: $0.0.unicodeScalars) }
      rest = rest.dropFirst(found?.0.unicodeScalars.count ?? 1)
      result.append(contentsOf: found.map { Array($0.1.unicodeScalars) } ?? [scalar])
    }
    return String(result)
  }
}
