import Defaults
import Foundation
import Testing

@Suite("The bridge of NSSecureCoding classes")
struct NSSecureCodingBridgeTests {
  typealias Stored = Defaults.PropertyListValue

  static let boxes = Defaults.NSSecureCodingBridge<ArchivedBox>()

  @Test("An object is stored as a keyed archive and comes back equal")
  func roundTrips() throws {
    let bridge = Defaults.NSSecureCodingBridge<ArchivedNote>()
    let child = ArchivedNote("ü🦄\n", count: .min, ratio: -0.0)
    let note = ArchivedNote(
      "", count: .max, ratio: .pi, isOpen: true, tags: ["a", ""], child: child)
    let stored = try bridge.encode(note)
    #expect(try bridge.decode(stored) == note)
    guard case .data(let data) = stored else {
      Issue.record("it wasn't data")
      return
    }
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: ArchivedNote.self, from: data) == note)
  }

  @Test("The bridge fits into those of containers and needs no Serializable")
  func composition() throws {
    let bridge = Defaults.OptionalBridge(
      Defaults.ArrayBridge(Defaults.NSSecureCodingBridge<ArchivedNote>()))
    let notes = [ArchivedNote("a"), ArchivedNote("b")]
    let entry = try #require(bridge.edit(for: notes).entry)
    #expect(try bridge.value(ofEntry: entry) == notes)
    #expect(try bridge.edit(for: nil) == .remove)
  }

  @Test("Objects of Foundation come back equal")
  func foundationObjects() throws {
    let base = try #require(URL(string: "http://a/b"))
    let contents: [NSObject] = [
      NSString(string: "x"), NSNumber(value: 2.5), NSNumber(value: UInt64.max),
      NSData(data: Data([1])), NSDate(timeIntervalSinceReferenceDate: 0.25), NSUUID(), NSNull(),
      try #require(NSURL(string: "c", relativeTo: base)), NSArray(array: [1, "a", [2]]),
      NSSet(array: [1, "a"]), NSDictionary(dictionary: ["a": [1: NSNull()]]), NSArray(array: []),
      NSMutableArray(array: [1]), NSMutableDictionary(dictionary: ["a": 1]),
      NSMutableSet(array: [1]),
    ]
    for content in contents {
      let copy = try Self.boxes.decode(Self.boxes.encode(ArchivedBox(content)))
      #expect(copy.content == content)
    }
  }

  @Test("A class with no name in archives is refused where Foundation would trap")
  func namelessClasses() {
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.NSSecureCodingBridge<SecureCodingSamples.Nested>().encode(.init())
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.NSSecureCodingBridge<GenericObject<Int>>().encode(GenericObject())
    }
    for content in [SecureCodingSamples.Nested(), SecureCodingSamples.privateObject()] {
      let error = #expect(throws: Defaults.ConversionError.self) {
        try Self.boxes.encode(ArchivedBox(content))
      }
      #expect(error?.reason.hasSuffix("private or generic, and has no name in archives") == true)
      #expect(throws: Defaults.ConversionError.self) {
        try Self.boxes.encode(ArchivedBox(NSArray(array: [NSArray(array: [content])])))
      }
    }
  }

  @Test("An object that isn't secure, or of a class that isn't listed, is refused")
  func unlistedClasses() throws {
    for content in [InsecureObject(), RefusedObject(), NSObject(), NSDecimalNumber(string: "1")] {
      #expect(throws: Defaults.ConversionError.self) {
        try Self.boxes.encode(ArchivedBox(content))
      }
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.NSSecureCodingBridge<RefusedObject>().encode(RefusedObject())
    }
    #expect(throws: Defaults.ConversionError("it encodes values without keys")) {
      try Defaults.NSSecureCodingBridge<UnkeyedObject>().encode(UnkeyedObject())
    }
    let box = ArchivedBox(ArchivedNote("x"))
    #expect(throws: Defaults.ConversionError.self) { try Self.boxes.encode(box) }
    let bridge = Defaults.NSSecureCodingBridge<ArchivedBox>(containing: [ArchivedNote.self])
    #expect(try bridge.decode(bridge.encode(box)).content == ArchivedNote("x"))
  }

  @Test("Cycles, too many levels, and collections in sets are refused")
  func shapes() throws {
    let cycle = ArchivedBox(nil)
    cycle.content = cycle
    defer { cycle.content = nil }
    #expect(throws: Defaults.ConversionError("ArchivedBox contains itself")) {
      try Self.boxes.encode(cycle)
    }
    func nested(_ depth: Int) -> ArchivedBox {
      (1..<depth).reduce(ArchivedBox(nil)) { box, _ in ArchivedBox(box) }
    }
    #expect(try Self.boxes.decode(Self.boxes.encode(nested(250))).content != nil)
    #expect(throws: Defaults.ConversionError("its objects are nested too deep")) {
      try Self.boxes.encode(nested(300))
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Self.boxes.encode(ArchivedBox(NSSet(array: [NSArray(array: [1])])))
    }
  }

  @Test("The archive of another class, or no archive, is refused")
  func otherData() throws {
    let other = try Self.boxes.encode(ArchivedBox(nil))
    let bridge = Defaults.NSSecureCodingBridge<ArchivedNote>()
    #expect(throws: Defaults.ConversionError.self) { try bridge.decode(other) }
    let text = try NSKeyedArchiver.archivedData(
      withRootObject: NSString(string: "x"), requiringSecureCoding: true)
    #expect(throws: Defaults.ConversionError.self) { try bridge.decode(.data(text)) }
    for data in [Data(), Data([1, 2, 3]), Data("bplist00".utf8), Data(repeating: 0, count: 99)] {
      #expect(throws: Defaults.ConversionError.self) { try bridge.decode(.data(data)) }
    }
    #expect(throws: Defaults.ConversionError.self) { try bridge.decode("x") }
  }

  @Test("A member of another class than the object expects is an error")
  func wrongMember() throws {
    // The class's name is changed to that of a note, which is as long.
    let stored = try Defaults.NSSecureCodingBridge<ArchivedDate>().encode(ArchivedDate())
    guard case .data(var data) = stored else { return }
    while let range = data.range(of: Data("ArchivedDate".utf8)) {
      data.replaceSubrange(range, with: Data("ArchivedNote".utf8))
    }
    let error = #expect(throws: Defaults.ConversionError.self) {
      try Defaults.NSSecureCodingBridge<ArchivedNote>().decode(.data(data))
    }
    #expect(error?.path == ["text"], "\(String(describing: error))")
  }

  @Test("No damage to an archive ends the process")
  func damage() throws {
    let bridge = Defaults.NSSecureCodingBridge<ArchivedBox>()
    let content = NSDictionary(dictionary: [
      "a": NSArray(array: [1, UUID(), Date(), NSNull(), Data([1])]), "b": NSSet(array: [1, "x"]),
      "u": try #require(URL(string: "http://a")), "box": ArchivedBox(NSNumber(value: 1)),
    ])
    guard case .data(let archive) = try bridge.encode(ArchivedBox(content)) else { return }
    // Deterministic: a failure here must come back in the next run.
    var state: UInt64 = 42
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
    var refused = 0
    for _ in 0..<3000 {
      var damaged = archive
      for _ in 0...random(3) { damaged[random(damaged.count)] = UInt8(random(256)) }
      if (try? bridge.decode(.data(damaged))) == nil { refused += 1 }
    }
    #expect(refused > 1000)
  }
}
