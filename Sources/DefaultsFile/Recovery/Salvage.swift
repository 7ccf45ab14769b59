import Defaults
import DefaultsText
import Foundation

/// The readable entries of a damaged file, and its problems.
struct Salvage {
  /// The kind of file.
  enum Form: String {
    case binary = "a binary property list"
    case xml = "an XML property list"
    case journal = "a journal"
    case json = "JSON"
  }

  let form: Form
  var entries: [String: PropertyListValue] = [:]
  /// The first problems, one line each. There may be as many as entries.
  private(set) var losses: [String] = []
  /// The number of all problems.
  private(set) var lossCount = 0
  /// Whether the file is intact.
  var isSound: Bool { lossCount == 0 }

  private var doubtful: Set<String> = []

  /// The maximum number of stored problem lines.
  static let lossLimit = 100

  init(_ form: Form) { self.form = form }

  /// Records a problem.
  mutating func lose(_ what: @autoclosure () -> String) {
    lossCount += 1
    if losses.count < Self.lossLimit { losses.append(what()) }
  }

  /// Adds an entry. If two entries with one name differ, neither is kept: one of the names is
  /// damaged, and which one is unknown.
  mutating func take(_ value: PropertyListValue, named name: String) {
    if name.isEmpty {
      lose("there is an entry without a name")
    } else if doubtful.contains(name) {
      lose("\(Self.shown(name)) occurs again")
    } else if let other = entries[name] {
      lose("\(Self.shown(name)) occurs twice")
      if other == value { return }
      entries[name] = nil
      doubtful.insert(name)
    } else {
      entries[name] = value
    }
  }

  /// The entries on which two possible readings of a file agree.
  func common(with other: Salvage) -> Salvage {
    var common = self
    for (name, value) in entries where other.entries[name] != value {
      common.entries[name] = nil
      common.lose("the value of \(Self.shown(name)) is damaged")
    }
    return common
  }

  /// A name in quotation marks, truncated for a message.
  static func shown(_ name: String) -> String {
    name.count > 60 ? "\"\(name.prefix(60))…\"" : "\"\(name)\""
  }
}

extension Salvage {
  /// Reads all entries that can be read; nil if the bytes look like none of the forms.
  ///
  /// Time and memory are proportional to the number of bytes. A file without its beginning is read
  /// as the form that yields the most entries.
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

  /// The entries of an intact file.
  private static func readSound(_ bytes: [UInt8]) -> Salvage? {
    if let entries = try? Defaults.JSONCDocument.entries(in: Data(bytes)) {
      var salvage = Salvage(.json)
      salvage.entries = entries
      return salvage
    }
    guard let (entries, format) = try? Defaults.PropertyListFormat.decode(Data(bytes)) else {
      return nil
    }
    var salvage = Salvage(format == .binary ? .binary : .xml)
    salvage.entries = entries
    return salvage
  }
}
