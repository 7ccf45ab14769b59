import Defaults
import Foundation

/// What could be read of a damaged file, and what couldn't.
struct Salvage {
  /// What kind of file it is, or was.
  enum Form: String {
    case binary = "a binary property list"
    case xml = "an XML property list"
    case journal = "a journal"
  }

  let form: Form
  var entries: [String: PropertyListValue] = [:]
  /// What is wrong, in a line each; the first of them, for there may be as many as entries.
  private(set) var losses: [String] = []
  /// How many there are.
  private(set) var lossCount = 0
  /// Whether nothing is wrong at all.
  var isSound: Bool { lossCount == 0 }

  private var doubtful: Set<String> = []

  /// How many lines about losses are kept.
  static let lossLimit = 100

  init(_ form: Form) { self.form = form }

  /// Notes what couldn't be read.
  mutating func lose(_ what: @autoclosure () -> String) {
    lossCount += 1
    if losses.count < Self.lossLimit { losses.append(what()) }
  }

  /// Takes an entry. Of two with one name none is, unless they are equal: one of the names is
  /// damaged, and which one can't be told.
  mutating func take(_ value: PropertyListValue, named name: String) {
    if name.isEmpty {
      lose("there is an entry without a name")
    } else if doubtful.contains(name) {
      lose("\(Self.shown(name)) stands there once more")
    } else if let other = entries[name] {
      lose("\(Self.shown(name)) stands there twice")
      if other == value { return }
      entries[name] = nil
      doubtful.insert(name)
    } else {
      entries[name] = value
    }
  }

  /// What two readings of a file agree on, of which it isn't known which one is right.
  func common(with other: Salvage) -> Salvage {
    var common = self
    for (name, value) in entries where other.entries[name] != value {
      common.entries[name] = nil
      common.lose("the value of \(Self.shown(name)) is damaged")
    }
    return common
  }

  /// A name as it stands in a line.
  static func shown(_ name: String) -> String {
    name.count > 60 ? "\"\(name.prefix(60))…\"" : "\"\(name)\""
  }
}

extension Salvage {
  /// Reads what can be read, whatever the bytes are; nil if they look like none of the forms.
  ///
  /// Time and memory are proportional to the bytes. A file of which the beginning is lost is taken
  /// for whatever gives the most.
  static func read(_ bytes: [UInt8]) -> Salvage? {
    if let sound = readSound(bytes) { return sound }
    let readers: [(mark: [UInt8], read: ([UInt8]) -> Salvage?)] = [
      (Array("DfltLog".utf8), { LogSalvage.read($0) }),
      (Array("bplist".utf8), { BinarySalvage.read($0) }),
      (Array("<?xml".utf8), { XMLSalvage.read($0) }),
    ]
    if let reader = readers.first(where: { bytes.starts(with: $0.mark) }),
      let found = reader.read(bytes), !found.entries.isEmpty
    {
      return found
    }
    let found = readers.compactMap { $0.read(bytes) }
    return found.max { $0.entries.count < $1.entries.count }
  }

  /// A file that isn't damaged at all.
  private static func readSound(_ bytes: [UInt8]) -> Salvage? {
    guard let (entries, format) = try? Defaults.PropertyListFormat.decode(Data(bytes)) else {
      return nil
    }
    var salvage = Salvage(format == .binary ? .binary : .xml)
    salvage.entries = entries
    return salvage
  }
}
