import Defaults
import Foundation
import FuzzInputs
import Testing

@Suite("The bridge of NSSecureCoding classes")
struct NSSecureCodingBridgeTests {
  typealias Stored = Defaults.PropertyListValue

  static let boxes = Defaults.Coding<Box>.archive

  @Test("An object is stored as a keyed archive and read back equal")
  func roundTrips() throws {
    let bridge = Defaults.Coding<Note>.archive
    let child = Note("ü🦄\n", count: .min, ratio: -0.0)
    let note = Note(
      "", count: .max, ratio: .pi, isOpen: true, tags: ["a", ""], child: child)
    let stored = try bridge.encode(note)
    #expect(try bridge.decode(stored) == note)
    guard case .data(let data) = stored else {
      Issue.record("The form isn't data")
      return
    }
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: Note.self, from: data) == note)
  }

  @Test("The archive bridge composes with container bridges and needs no Serializable")
  func composition() throws {
    let bridge = Defaults.Coding<[Note]?>.optional(.array(of: .archive))
    let notes = [Note("a"), Note("b")]
    let entry = try #require(bridge.edit(for: notes).entry)
    #expect(try bridge.value(ofEntry: entry) == notes)
    #expect(try bridge.edit(for: nil) == .remove)
  }

  @Test("Foundation objects are read back equal from an archive")
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
      let copy = try Self.boxes.decode(Self.boxes.encode(Box(content)))
      #expect(copy.content == content)
    }
  }

  @Test("A class without a name in archives is rejected; Foundation would trap")
  func namelessClasses() {
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.Coding<SecureCodingSamples.Nested>.archive.encode(.init())
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.Coding<GenericObject<Int>>.archive.encode(GenericObject())
    }
    for content in [SecureCodingSamples.Nested(), SecureCodingSamples.privateObject()] {
      let error = #expect(throws: Defaults.ConversionError.self) {
        try Self.boxes.encode(Box(content))
      }
      #expect(error?.reason.hasSuffix("private or generic, and has no name in archives") == true)
      #expect(throws: Defaults.ConversionError.self) {
        try Self.boxes.encode(Box(NSArray(array: [NSArray(array: [content])])))
      }
    }
  }

  @Test("An object that isn't secure, or whose class isn't listed, is rejected")
  func unlistedClasses() throws {
    for content in [InsecureObject(), RefusedObject(), NSObject(), NSDecimalNumber(string: "1")] {
      #expect(throws: Defaults.ConversionError.self) {
        try Self.boxes.encode(Box(content))
      }
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Defaults.Coding<RefusedObject>.archive.encode(RefusedObject())
    }
    #expect(throws: Defaults.ConversionError("an object encodes values without keys")) {
      try Defaults.Coding<UnkeyedObject>.archive.encode(UnkeyedObject())
    }
    let box = Box(Note("x"))
    #expect(throws: Defaults.ConversionError.self) { try Self.boxes.encode(box) }
    let bridge = Defaults.Coding<Box>.archive(containing: [Note.self])
    #expect(try bridge.decode(bridge.encode(box)).content == Note("x"))
  }

  @Test("Archiving a cycle, too many levels of objects, or a collection inside a set throws")
  func shapes() throws {
    let cycle = Box(nil)
    cycle.content = cycle
    defer { cycle.content = nil }
    #expect(throws: Defaults.ConversionError("Box contains itself")) {
      try Self.boxes.encode(cycle)
    }
    func nested(_ depth: Int) -> Box {
      (1..<depth).reduce(Box(nil)) { box, _ in Box(box) }
    }
    #expect(try Self.boxes.decode(Self.boxes.encode(nested(250))).content != nil)
    #expect(throws: Defaults.ConversionError("the objects are nested too deep")) {
      try Self.boxes.encode(nested(300))
    }
    #expect(throws: Defaults.ConversionError.self) {
      try Self.boxes.encode(Box(NSSet(array: [NSArray(array: [1])])))
    }
  }

  @Test("Data that is no archive, or an archive of another class, is rejected")
  func otherData() throws {
    let other = try Self.boxes.encode(Box(nil))
    let bridge = Defaults.Coding<Note>.archive
    #expect(throws: Defaults.ConversionError.self) { try bridge.decode(other) }
    let text = try NSKeyedArchiver.archivedData(
      withRootObject: NSString(string: "x"), requiringSecureCoding: true)
    #expect(throws: Defaults.ConversionError.self) { try bridge.decode(.data(text)) }
    for data in [Data(), Data([1, 2, 3]), Data("bplist00".utf8), Data(repeating: 0, count: 99)] {
      #expect(throws: Defaults.ConversionError.self) { try bridge.decode(.data(data)) }
    }
    #expect(throws: Defaults.ConversionError.self) { try bridge.decode("x") }
  }

  @Test("An archived member of another class than the object expects is rejected")
  func wrongMember() throws {
    // Replaces the class name with that of `Note`, which has the same length.
    let stored = try Defaults.Coding<Fake>.archive.encode(Fake())
    guard case .data(var data) = stored else { return }
    while let range = data.range(of: Data("FuzzInputs.Fake".utf8)) {
      data.replaceSubrange(range, with: Data("FuzzInputs.Note".utf8))
    }
    let error = #expect(throws: Defaults.ConversionError.self) {
      try Defaults.Coding<Note>.archive.decode(.data(data))
    }
    #expect(error?.path == ["text"], "\(String(describing: error))")
  }

  @Test("A damaged archive never ends the process")
  func damage() throws {
    let bridge = Defaults.Coding<Box>.archive
    let content = NSDictionary(dictionary: [
      "a": NSArray(array: [1, UUID(), Date(), NSNull(), Data([1])]), "b": NSSet(array: [1, "x"]),
      "u": try #require(URL(string: "http://a")), "box": Box(NSNumber(value: 1)),
    ])
    guard case .data(let archive) = try bridge.encode(Box(content)) else { return }
    // Deterministic, so that a failure can be reproduced.
    var random = SplitMix64(state: 42)
    var refused = 0
    for _ in 0..<3000 {
      var damaged = archive
      for _ in 0...random.below(3) {
        damaged[random.below(damaged.count)] = UInt8(random.below(256))
      }
      if (try? bridge.decode(.data(damaged))) == nil { refused += 1 }
    }
    #expect(refused > 1000)
  }
}
