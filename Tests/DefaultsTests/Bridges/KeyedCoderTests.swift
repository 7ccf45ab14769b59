import Defaults
import Foundation
import FuzzInputs
import Testing

@Suite("Calls of an object to its `NSCoder`")
struct KeyedCoderTests {
  @Test("A keyed coder reads back scalars of every kind, bytes and Foundation objects")
  func scalars() throws {
    let bridge = Defaults.Coding<ArchivedScalars>.archive
    for object in [
      ArchivedScalars(small: .min, large: .max, ratio: -0.1, bytes: [0, 255, 1], title: "ü"),
      ArchivedScalars(small: .max, large: .min, ratio: .infinity, bytes: [], title: ""),
    ] {
      let copy = try bridge.decode(bridge.encode(object))
      #expect(copy == object)
      #expect(!copy.hasOwner)
    }
  }

  #if !canImport(Darwin)
    @Test("Encoding without keys is rejected; Foundation would trap")
    func unkeyedEncoding() {
      let bodies: [@Sendable (NSCoder) -> Void] = [
        { $0.encode(NSString(string: "x")) },
        { $0.encodeRootObject(NSString(string: "x")) },
        { $0.encodeBycopyObject(NSString(string: "x")) },
        { $0.encodeByrefObject(NSString(string: "x")) },
        { $0.encodeConditionalObject(NSString(string: "x")) },
        { $0.encodePropertyList(NSString(string: "x")) },
        { coder in withUnsafeBytes(of: 5) { coder.encodeBytes($0.baseAddress, length: 8) } },
        { coder in withUnsafeBytes(of: 5) { encodeValue($0, coder) } },
        { coder in withUnsafeBytes(of: 5) { encodeArray($0, coder) } },
      ]
      for body in bodies {
        #expect(throws: Defaults.ConversionError("an object encodes values without keys")) {
          try Defaults.Coding<ArchivedByClosure>.archive.encode(ArchivedByClosure(body))
        }
      }
    }

    @Test("Archiving a value that isn't an object is rejected; Foundation would trap")
    func values() {
      struct Point { var x = 1 }
      let object = ArchivedByClosure { $0.encode(Point(), forKey: "point") }
      #expect(throws: Defaults.ConversionError("Point can't be archived")) {
        try Defaults.Coding<ArchivedByClosure>.archive.encode(object)
      }
    }

    @Test("The first error that an object reports while it is archived is thrown")
    func refusals() {
      for demand in [DemandingObject.Demand.failure, .otherFailure] {
        #expect(throws: Defaults.ConversionError("I don't want to")) {
          try Defaults.Coding<DemandingObject>.archive.encode(DemandingObject(demand))
        }
      }
    }

    @Test("Decoding without keys throws or returns nothing")
    func unkeyedDecoding() throws {
      let bridge = Defaults.Coding<DemandingObject>.archive
      for demand in [DemandingObject.Demand.value, .array] {
        #expect(throws: Defaults.ConversionError("an object decodes values without keys")) {
          try bridge.encode(DemandingObject(demand))
        }
      }
      for demand in [DemandingObject.Demand.unkeyedObjects, .version] {
        let copy = try bridge.decode(bridge.encode(DemandingObject(demand)))
        #expect(copy.demand == demand)
        #expect(!copy.isFooled)
      }
    }

    @Test("Decoding without a class list returns only Foundation objects")
    func classes() throws {
      let bridge = Defaults.Coding<DemandingObject>.archive(containing: [Note.self])
      func copy(_ demand: DemandingObject.Demand, _ content: NSObject) throws -> NSObject? {
        try bridge.decode(bridge.encode(DemandingObject(demand, content))).content
      }
      let identifier = UUID()
      for demand in [DemandingObject.Demand.objectOfFoundation, .objectOfListedClass] {
        #expect(
          try copy(demand, NSUUID(uuidString: identifier.uuidString) ?? NSUUID())
            == NSUUID(uuidString: identifier.uuidString))
      }
      #expect(try copy(.objectOfListedClass, Note("x")) == Note("x"))
      for demand in [DemandingObject.Demand.objectOfFoundation, .propertyList] {
        let error = #expect(throws: Defaults.ConversionError.self) {
          try copy(demand, Note("x"))
        }
        #expect(error?.path == ["content"])
        #expect(error?.reason == "an archived object has the unexpected class Note")
      }
      #expect(throws: Defaults.ConversionError.self) {
        try copy(.objectOfListedClass, NSDate())
      }
    }
  #endif
}

private func encodeValue(_ bytes: UnsafeRawBufferPointer, _ coder: NSCoder) {
  guard let start = bytes.baseAddress else { return }
  coder.encodeValue(ofObjCType: "q", at: start)
}

private func encodeArray(_ bytes: UnsafeRawBufferPointer, _ coder: NSCoder) {
  guard let start = bytes.baseAddress else { return }
  coder.encodeArray(ofObjCType: "q", count: 1, at: start)
}
