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
    var reader = PageReader(html)
    _ = reader.take(until: "<")
    while reader.next != nil {
      reader.skip()
      var element = PageElement(name: reader.take(until: " \n>"))
      while let byte = reader.next, byte != UInt8(ascii: ">") {
        if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
          reader.skip()
          continue
        }
        let name = reader.take(until: " \n=>")
        var value = ""
        if reader.skip(prefix: "=") {
          if reader.skip(prefix: "\"") {
            value = reader.take(until: "\"")
            reader.skip()
          } else {
            value = reader.take(until: " \n>")
          }
        }
        element.attributes.append((name, PageElement.text(value)))
      }
      reader.skip()
      if element.name == "style" || element.name == "script" {
        let end = "</\(element.name)>"
        while reader.next != nil, !reader.begins(with: end) {
          reader.skip()
          _ = reader.take(until: "<")
        }
      } else {
        element.text = reader.take(until: "<")
      }
      elements.append(element)
    }
    return elements
  }

  /// The text of HTML without elements.
  static func text(_ html: String) -> String {
    guard PageReader.contains("&", in: html) else { return html }
    let references = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ]
    var reader = PageReader(html)
    var result = reader.take(until: "&")
    while reader.next != nil {
      let found = references.first { reader.skip(prefix: $0.0) }
      if found == nil { reader.skip() }
      result += (found?.1 ?? "&") + reader.take(until: "&")
    }
    return result
  }
}
