import Defaults
import Foundation

/// Reads entries with a bridge of every family of types.
package enum BridgeReading {
  package typealias Value = Defaults.PropertyListValue

  /// A type and its key, which has the name of the entry to read.
  private struct Reader: Sendable {
    let name: String
    /// A valid entry of the key.
    let sample: Value?
    let read: @Sendable (Defaults.MemorySuite) -> Bool

    init<V>(_ key: Defaults.Key<V>, _ sample: Value?) {
      name = key.name
      self.sample = sample
      read = { suite in (try? suite.value(for: key)) != nil }
    }
  }

  /// A valid entry for each reader, and some entries that no reader expects.
  package static let samples: [String: Value] = {
    let samples = readers.compactMap { reader in reader.sample.map { (reader.name, $0) } }
    return Dictionary(samples) { first, _ in first }
  }()

  /// Reads the entries with all bridges, and returns how many succeeded.
  ///
  /// A reader without an entry of its name gets the value of another entry, a different one for
  /// each `turn`.
  @discardableResult
  package static func read(_ entries: [String: Value], turn: Int = 0) -> Int {
    guard !entries.isEmpty else { return 0 }
    var given: [String: Value] = [:]
    given.reserveCapacity(readers.count)
    // The order of a dictionary differs between processes, unless hashing is deterministic.
    let others = Array(entries.values)
    for (index, reader) in readers.enumerated() {
      given[reader.name] = entries[reader.name] ?? others[(index + turn) % others.count]
    }
    let suite = Defaults.MemorySuite(given)
    return readers.reduce(0) { $0 + ($1.read(suite) ? 1 : 0) }
  }

  /// Reads one value with all bridges.
  @discardableResult
  package static func read(_ value: Value) -> Int { read(["": value]) }

  /// The suite in which the keys are declared. They read from other suites.
  private static let home = Defaults.MemorySuite()

  private static func reader<V: Defaults.Serializable>(_ name: String, _ value: V) -> Reader {
    Reader(
      Defaults.Key<V>(name, default: value, suite: home), (try? V.bridge.edit(for: value))?.entry)
  }

  private static let readers: [Reader] = scalars + composites + archives

  private static let scalars: [Reader] = [
    reader("bool", true), reader("int", Int.min), reader("int8", Int8.min),
    reader("int16", Int16.max), reader("int32", Int32.min), reader("int64", Int64.max),
    reader("int128", Int128.min), reader("uint", UInt.max), reader("uint8", UInt8.max),
    reader("uint16", UInt16.max), reader("uint32", UInt32.max), reader("uint64", UInt64.max),
    reader("uint128", UInt128.max), reader("float", Float.pi), reader("double", 0.1),
    reader("cgfloat", CGFloat(0.25)), reader("string", "Straße e\u{301}😀\u{0}"),
    reader("data", Data([0, 1, 2, 0xff])), reader("date", Date.distantFuture),
    reader("decimal", Decimal(string: "-1234567890.0123456789") ?? 0),
    reader("uuid", UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    reader("url", URL(filePath: "/tmp/a b", directoryHint: .notDirectory)),
    reader("relative", URL(string: "x/y?z", relativeTo: URL(string: "https://example.org/"))),
    reader("mode", Mode.slow), reader("level", Level.high),
  ]

  private static let composites: [Reader] = [
    reader("optional", Int?.some(300)), reader("twice", String??.some("inner")),
    reader("array", [1, 2, 300]), reader("optionals", [Data?.some(Data([9]))]),
    reader("nested", [["a": [Double.pi]], [:]]), reader("set", Set(["a", "b", "ü"])),
    reader("dates", Set([Date.distantPast, Date.distantFuture])),
    reader("dictionary", ["one": 1, "two": 2]), reader("byNumber", [UInt8(1): true, 255: false]),
    reader("range", -5..<17), reader("closedRange", 0.5...1e300), reader("bag", Bag([3, 1, 3])),
    reader("flags", Flags(rawValue: 0b1010_0001)), reader("account", Account(name: "a", age: "7")),
    reader("any", Defaults.AnySerializable([1: "x"] as [Int: String])),
    reader("anys", [Defaults.AnySerializable(1), "x"]),
    reader("plist", ["k": [1, 0.5, true, .unsignedInteger(.max), .data(Data([1]))]] as Value),
    reader("profile", Profile.sample), reader("profiles", ["x": Profile.sample]),
  ]

  private static let archives: [Reader] = {
    let note = Note(
      "outer", count: 5, ratio: 0.5, isOpen: true, tags: ["a", "ü"],
      child: Note("inner", count: 5, ratio: 0.5))
    let content: NSArray = [
      NSDictionary(dictionary: ["k": NSNumber(value: 0.5), "n": NSNull()]),
      NSSet(array: [NSString("x"), NSDate(timeIntervalSince1970: 0.25), NSData(data: Data([1]))]),
      NSUUID(uuidString: "01020304-0506-0708-090A-0B0C0D0E0F10") ?? NSNull(),
      NSURL(string: "https://example.org/") ?? NSNull(),
    ]
    let notes = Defaults.Coding<Note>.archive
    return [
      Reader(Defaults.Key<Note>("note", default: note, suite: home), try? notes.encode(note)),
      Reader(Defaults.Key<Note?>("maybeNote", suite: home), try? notes.encode(note)),
      reader("box", Box(content)),
    ]
  }()
}
