import Defaults
import Foundation

/// The valid inputs that are damaged, in all formats, with all types of values, small and large.
///
/// The order of a dictionary, and so the bytes of some seeds, is the same in processes with
/// deterministic hashing (`SWIFT_DETERMINISTIC_HASHING`).
package struct MutationSeeds: Sendable {
  package typealias Value = Defaults.PropertyListValue

  /// Up to a few KiB; used for most inputs.
  package let small: [HostileInput]
  /// Tens of KiB.
  package let large: [HostileInput]
  /// About half a MiB.
  package let huge: [HostileInput]

  package init() {
    let wide = Self.wide(800)
    let vast = Self.wide(12_000)
    let entries = Self.entries
    small = entries.flatMap { Self.files($0) } + Self.journals
    large =
      Self.files(wide) + [Self.journal([wide]), Self.journal(wide.map { [$0.key: $0.value] })]
    huge =
      Self.files(vast) + [Self.journal([vast]), Self.journal(vast.map { [$0.key: $0.value] })]
      + Self.dense
  }

  /// The small journals.
  package static let journals =
    entries.map { journal([$0]) } + [records, journal([one, few, one])]

  private static let entries = [one, few, BridgeReading.samples, deep]

  private static let one: [String: Value] = ["k": 1]

  private static let few: [String: Value] = [
    "bool": true, "int": 300, "double": 0.5, "ü": "é😀", "date": .date(.distantPast),
    "list": [1, ["x": .data(Data([1, 2, 3]))], "ascii text"], "big": .unsignedInteger(.max),
    "string": "ascii text", "nested": [["a": [1.5, 2.5]], [:]], "array": [],
  ]

  private static let deep: [String: Value] = {
    let arrays = (0..<200).reduce(Value.integer(1)) { value, _ in [value] }
    return ["deep": (0..<40).reduce(arrays) { value, _ in ["d": value] }]
  }()

  private static func wide(_ count: Int) -> [String: Value] {
    var entries: [String: Value] = [:]
    let samples = BridgeReading.samples.sorted { $0.key < $1.key }.map(\.value)
      .filter { if case .data(let data) = $0 { data.count < 100 } else { true } }
    for index in 0..<count {
      entries["name \(index)"] =
        index.isMultiple(of: 8) ? samples[index / 8 % samples.count] : .integer(Int64(index))
    }
    return entries
  }

  private static func files(_ entries: [String: Value]) -> [HostileInput] {
    // XML can't hold all of them.
    let mild = entries.filter {
      (try? Defaults.PropertyListFormat.xml.encode([$0.key: $0.value])) != nil
    }
    return [
      (try? Defaults.PropertyListFormat.binary.encode(entries))
        .map { HostileInput(.binary, Array($0)) },
      (try? Defaults.PropertyListFormat.xml.encode(mild)).map { HostileInput(.xml, Array($0)) },
    ].compactMap(\.self)
  }

  /// A journal with a record for each group of entries.
  private static func journal(_ groups: [[String: Value]]) -> HostileInput {
    var image = JournalImage(id: 0x0123_4567_89ab_cdef)
    for group in groups {
      image.append(group.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }
    return HostileInput(.journal, image.bytes)
  }

  /// Journals that require as much work and memory per byte as possible.
  private static let dense: [HostileInput] = {
    var names = JournalImage(id: 1)
    names.append((0..<20_000).map { .init(String($0, radix: 36), nil) })
    for index in 0..<3_000 { names.append([.init("\(index % 7)", true)], kind: 1) }
    var values = JournalImage(id: 2)
    values.append(value: [8, 0, 0, 4, 0] + Array(repeating: 1, count: 1 << 19), named: "bools")
    let claims = (0..<250).flatMap { _ in [8, 0, 0, 1, 0] as [UInt8] }
    values.append(value: claims + Array(repeating: 1, count: 1 << 18), named: "claims")
    return [names, values].map { HostileInput(.journal, $0.bytes) }
  }()

  /// Every kind of record and of change.
  private static let records: HostileInput = {
    var image = JournalImage(id: 99)
    image.append([.init("a", 1), .init("b", nil)])
    image.append([.init("a", ["x": [1, 2]]), .init("c", .data(Data([0, 1])))], durable: 20)
    image.appendExport(3, kind: 2, durable: 200)
    image.append([.init("a", nil), .init("c", 0.5)], kind: 1, durable: 250)
    for kind in 3...4 as ClosedRange<UInt8> { image.appendExport(3, kind: kind) }
    image.append([.init("ü", .date(.distantFuture)), .init("b", .unsignedInteger(.max))])
    image.appendExport(4, kind: 5)
    image.append(content: [], kind: 7)
    image.append([.init("a", true)], durable: 1 << 40)
    return HostileInput(.journal, image.bytes)
  }()
}
