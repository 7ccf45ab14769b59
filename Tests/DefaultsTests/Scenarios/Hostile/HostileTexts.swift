import Foundation

extension HostileForm {
  /// Text and data that bridges decode: JSON, URLs, numbers, archives.
  static let texts: [Self] = [
    HostileForm("JSON 10,000 levels deep", String(repeating: "[", count: 10_000).utf8),
    HostileForm(
      "JSON objects 10,000 levels deep", String(repeating: "{\"tags\":", count: 10_000).utf8),
    HostileForm("JSON that ends early", "{\"name\":\"".utf8),
    HostileForm("JSON with half a surrogate", "{\"name\":\"\\ud800\"}".utf8),
    HostileForm("JSON with a NUL", "{\"name\":\"\\u0000\"\0}".utf8),
    HostileForm("JSON with a key twice", "{\"name\":\"a\",\"name\":1}".utf8),
    HostileForm(
      "JSON with numbers that don't fit",
      "{\"name\":\"\",\"age\":1e99,\"ratio\":1e999,\"amount\":1e-999,\"tags\":{\"x\":[999]}}".utf8),
    HostileForm("JSON in UTF-16", [0xfe, 0xff, 0, 0x7b, 0, 0x7d]),
    HostileForm("a number of 100,000 digits", String(repeating: "9", count: 100_000).utf8),
    HostileForm(
      "a fraction of 100,000 digits", "0.".utf8 + [UInt8](repeating: 0x31, count: 100_000)),
    HostileForm("digits that aren't ASCII", "٣٤".utf8),
    HostileForm("a number with a unit", "12 apples".utf8),
    HostileForm("a minus sign", "-".utf8),
    HostileForm("a point", ".".utf8),
    HostileForm("an exponent", "1e400".utf8),
    HostileForm("a URL with an unfinished host", "http://[::1".utf8),
    HostileForm("a URL with an unfinished escape", "http://a/%4".utf8),
    HostileForm("a URL with a port that doesn't exist", "http://a:99999999999/".utf8),
    HostileForm("a URL with 30,000 steps up", String(repeating: "/..", count: 30_000).utf8),
    HostileForm("a UUID with a wrong letter", "E621E1F8-C36C-495A-93FC-0C247A3E6E5G".utf8),
    HostileForm("only combining marks", String(repeating: "\u{301}", count: 10_000).utf8),
    HostileForm("bytes that aren't UTF-8", [0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
    archive("an archive without objects", objects: []),
    archive("an archive of a class that doesn't exist", objects: [.fields([:]), .named("Absent")]),
    archive("an archive of a class in another", objects: [.fields([:]), .named("FuzzInputs.A.B")]),
    archive(
      "an archive of an object that contains itself",
      objects: [.fields(["child": 1, "text": 1]), .named("FuzzInputs.Note")]),
    archive(
      "an archive whose class is an object", objects: [.fields(["text": 0]), .fields([:])]),
    archive(
      "an archive of an array that contains itself",
      objects: [.list([1]), .named("NSArray")]),
    archive(
      "an archive of a text that is a date",
      objects: [.fields(["text": 3]), .named("FuzzInputs.Note"), .date]),
  ]

  private enum Object {
    case fields([String: Int])
    case list([Int])
    case named(String)
    case date
  }

  /// A keyed archive whose first object is the root and whose second is its class.
  private static func archive(_ name: String, objects: [Object]) -> Self {
    func uid(_ number: Int) -> [UInt8] { [0x80, UInt8(number)] }
    func text(_ text: String) -> [UInt8] { [0x5f, 0x10, UInt8(text.utf8.count)] + text.utf8 }
    var builder = BinaryPropertyListBuilder(objects: [])
    func add(_ object: [UInt8]) -> UInt8 {
      builder.objects.append(object)
      return UInt8(builder.objects.count - 1)
    }
    func dictionary(_ entries: [(String, UInt8)]) -> [UInt8] {
      let keys = entries.map { add(text($0.0)) }
      return [0xd0 | UInt8(entries.count)] + keys + entries.map(\.1)
    }
    _ = add([])  // the frame, which is known last
    var stored = [add(text("$null"))]
    for object in objects {
      switch object {
      case .fields(let fields):
        let values = fields.sorted { $0.key < $1.key }.map { ($0.key, add(uid($0.value))) }
        stored.append(add(dictionary(values + [("$class", add(uid(2)))])))
      case .list(let elements):
        let list = add([0xa0 | UInt8(elements.count)] + elements.map { add(uid($0)) })
        stored.append(add(dictionary([("NS.objects", list), ("$class", add(uid(2)))])))
      case .named(let name):
        stored.append(add(dictionary([("$classname", add(text(name)))])))
      case .date:
        stored.append(add([0x33, 0, 0, 0, 0, 0, 0, 0, 0]))
      }
    }
    let all = add([0xa0 | UInt8(stored.count)] + stored)
    let top = add(dictionary([("root", add(uid(1)))]))
    let version = add([0x12, 0, 1, 0x86, 0xa0])
    builder.objects[0] = dictionary([
      ("$archiver", add(text("NSKeyedArchiver"))), ("$version", version), ("$top", top),
      ("$objects", all),
    ])
    return HostileForm(name, builder.data)
  }
}
