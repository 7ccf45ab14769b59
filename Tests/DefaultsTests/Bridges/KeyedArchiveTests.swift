#if !canImport(Darwin)
  import Defaults
  import Foundation
  import FuzzInputs
  import TestSupport
  import Testing

  /// Archives that another program wrote, and archives made by hand.
  @Suite("Keyed archives of other programs")
  struct KeyedArchiveTests {
    static let boxes = Defaults.Coding<Box>.archive

    /// A box whose content is the second of these objects, in an archive made by hand.
    private func archive(_ objects: [String: Any]..., classes: [String]) throws -> Data {
      let classes = classes.map {
        ["$classname": $0, "$classes": [$0, "NSObject"]] as [String: Any]
      }
      return try PropertyListSerialization.data(
        fromPropertyList: [
          "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": uid(1)],
          "$objects": ["$null", ["$class": uid(2 + objects.count), "content": uid(2)]]
            + objects + [["$classname": "FuzzInputs.Box"]] + classes + ["text"],
        ] as [String: Any], format: .binary, options: 0)
    }

    private func uid(_ index: Int) -> [String: Int] { ["CF$UID": index] }

    /// The content of a box with an object of a Foundation class.
    private func content(_ name: String, _ fields: [String: Any]) throws -> NSObject? {
      let object = fields.merging(["$class": uid(4)]) { $1 }
      return try Self.boxes.decode(.data(archive(object, classes: [name]))).content
    }

    @Test("Text and data in a keyed archive are also read if stored as objects")
    func objects() throws {
      for name in ["NSString", "NSMutableString"] {
        #expect(try content(name, ["NS.string": "ü"]) == NSString(string: "ü"))
      }
      for name in ["NSData", "NSMutableData"] {
        #expect(try content(name, ["NS.data": Data([1])]) == NSData(data: Data([1])))
      }
      #expect(try content("NSMutableString", ["NS.string": "a"]) is NSMutableString)
      #expect(try content("NSMutableData", ["NS.data": Data()]) is NSMutableData)
    }

    @Test("A number in a keyed archive may be stored as an object")
    func numbers() throws {
      let data = try PropertyListSerialization.data(
        fromPropertyList: [
          "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": uid(1)],
          "$objects": [
            "$null", ["$class": uid(2), "text": uid(3), "count": uid(4), "ratio": uid(5)],
            ["$classname": "FuzzInputs.Note"], "x", 7, 0.5,
          ] as [Any],
        ] as [String: Any], format: .binary, options: 0)
      let bridge = Defaults.Coding<Note>.archive
      #expect(try bridge.decode(.data(data)) == Note("x", count: 7, ratio: 0.5))
    }

    @Test("An archive reference of more than 63 bits is rejected")
    func wideReference() {
      let frame = BinaryPropertyListBuilder.entry([0x87] + [UInt8](repeating: 0xff, count: 8))
      expect("the data isn't a keyed archive: the UID has more than 63 bits at byte 13") {
        try Self.boxes.decode(.data(frame.data))
      }
    }

    @Test("A missing archive field, or a field of another type, is rejected with its name")
    func fields() {
      expect("content: an object of the archive has no NS.string") { try content("NSString", [:]) }
      expect("content: it is an integer, and a string was expected") {
        try content("NSString", ["NS.string": 5])
      }
      expect(
        #"content: it is a string, and data was expected; in JSON, write {"$data": "AAEC"}, "#
          + "in base 64"
      ) {
        try content("NSData", ["NS.data": "x"])
      }
      expect("content: a UUID has 16 bytes, not 3") {
        try content("NSUUID", ["NS.uuidbytes": Data(count: 3)])
      }
    }

    @Test("An archived collection with invalid content is rejected with the reason")
    func collections() {
      expect("content: a collection of the archive contains nil") {
        try content("NSArray", ["NS.objects": [uid(0)]])
      }
      expect("content: it is an integer, and a reference to an object was expected") {
        try content("NSArray", ["NS.objects": [5]])
      }
      expect("content: an archived dictionary has 0 keys, 1 values") {
        try content("NSDictionary", ["NS.keys": [Int](), "NS.objects": [uid(5)]])
      }
      let twice = [uid(5), uid(5)]
      for (name, key) in [("NSSet", "NS.objects"), ("NSMutableDictionary", "NS.keys")] {
        expect("content: two members of a set, or two keys of a dictionary, are equal") {
          try content(name, ["NS.objects": twice].merging([key: twice]) { $1 })
        }
      }
      expect("content: a member of a set or a key of a dictionary is a collection") {
        let set: [String: Any] = ["$class": uid(5), "NS.objects": [uid(3)]]
        let array: [String: Any] = ["$class": uid(6), "NS.objects": [Int]()]
        return try Self.boxes.decode(.data(archive(set, array, classes: ["NSSet", "NSArray"])))
      }
      expect("content: an object of the archive contains itself") {
        try content("NSArray", ["NS.objects": [uid(2)]])
      }
    }

    @Test("An archived object must have a class that is allowed")
    func classes() {
      expect("content: NSThread isn't among the classes that may be archived") {
        try content("NSThread", [:])
      }
      expect("content: an object of the archive has no class") {
        try Self.boxes.decode(.data(archive(["x": 1], classes: [])))
      }
      expect("content: the archive has no object 99") {
        try content("NSArray", ["NS.objects": [uid(99)]])
      }
    }

    @Test("An object archived without secure coding is rejected")
    func insecure() throws {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: Box(RefusedObject()), requiringSecureCoding: false)
      let bridge = Defaults.Coding<Box>.archive(containing: [RefusedObject.self])
      expect("content: DefaultsTests.RefusedObject doesn't support secure coding") {
        try bridge.decode(.data(data))
      }
    }

    @Test("An archive with too many levels of objects is rejected")
    func depth() throws {
      let box = (1..<300).reduce(Box(nil)) { box, _ in Box(box) }
      let data = try NSKeyedArchiver.archivedData(withRootObject: box, requiringSecureCoding: true)
      let error = #expect(throws: Defaults.ConversionError.self) {
        try Self.boxes.decode(.data(data))
      }
      #expect(error?.reason == "the objects of the archive are nested too deep")
    }

    private func expect(
      _ description: String, sourceLocation: SourceLocation = #_sourceLocation,
      _ body: () throws -> some Any
    ) {
      let error = #expect(throws: Defaults.ConversionError.self, sourceLocation: sourceLocation) {
        try body()
      }
      #expect(error?.description == description, sourceLocation: sourceLocation)
    }
  }
#endif
