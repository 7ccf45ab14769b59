import Defaults
import Foundation

/// The description of a cache as an entry.
extension Cache.Note {
  init?(_ entry: PropertyListValue) {
    guard case .dictionary(let parts) = entry, case .string(let cluster) = parts["cluster"],
      case .integer(let revision) = parts["revision"]
    else { return nil }
    self.cluster = cluster
    self.revision = revision
    date = if case .date(let date) = parts["date"] { date } else { nil }
    intents = parts.parts(of: "intents").compactMapValues(Intent.init)
    for (writer, parts) in parts.parts(of: "sent") {
      sent[writer] = SentTransaction(of: writer, parts)
    }
  }

  func entry(prefix: String) -> PropertyListValue {
    var parts: [String: PropertyListValue] = [
      "prefix": .string(prefix), "cluster": .string(cluster), "revision": .integer(revision),
    ]
    parts["date"] = date.map { .date($0) }
    if !intents.isEmpty { parts["intents"] = .dictionary(intents.mapValues(\.entry)) }
    if !sent.isEmpty { parts["sent"] = .dictionary(sent.mapValues(\.entry)) }
    return .dictionary(parts)
  }
}

extension Intent {
  fileprivate init?(_ parts: [String: PropertyListValue]) {
    guard case .integer(let limit) = parts["knownUpTo"],
      case .bool(let wasThere) = parts["wasThere"], let edit = Edit(inNote: parts)
    else { return nil }
    self.init(edit: edit, knownUpTo: limit, wasThere: wasThere)
  }

  fileprivate var entry: PropertyListValue {
    .dictionary(
      edit.partsInNote.merging([
        "knownUpTo": .integer(knownUpTo), "wasThere": .bool(wasThere),
      ]) { _, new in new })
  }
}

extension SentTransaction {
  fileprivate init?(of writer: String, _ parts: [String: PropertyListValue]) {
    guard case .string(let text) = parts["mark"], case .integer(let before) = parts["before"],
      case .integer(let lease) = parts["lease"]
    else { return nil }
    mark = Mark(writer: writer, text: text, before: before, lease: lease)
    edits = parts.parts(of: "edits").compactMapValues(Edit.init(inNote:))
  }

  fileprivate var entry: PropertyListValue {
    [
      "mark": .string(mark.text), "before": .integer(mark.before), "lease": .integer(mark.lease),
      "edits": .dictionary(edits.mapValues { .dictionary($0.partsInNote) }),
    ]
  }
}

extension Edit {
  /// The most levels of a value in a note, whose dictionaries are up to five levels above it.
  private static let mostLevels = PropertyListValue.maximumDepth - 5

  /// The edit with these parts; nil if they are damaged.
  fileprivate init?(inNote parts: [String: PropertyListValue]) {
    guard case .data(let bytes) = parts["bytes"] else {
      self.init(entry: parts["value"])
      return
    }
    guard let value = try? BinaryPropertyListDecoder.decodeValue(bytes) else { return nil }
    self = .set(value)
  }

  /// The value, as the bytes of a property list if it has too many levels; empty for a removal.
  fileprivate var partsInNote: [String: PropertyListValue] {
    guard let entry else { return [:] }
    guard entry.isDeeper(than: Self.mostLevels),
      let bytes = try? Defaults.EtcdSuite.ValueEncoding.propertyList.bytes(of: entry)
    else { return ["value": entry] }
    return ["bytes": .data(bytes)]
  }
}

extension [String: PropertyListValue] {
  /// The nested dictionaries under a name, by their keys.
  fileprivate func parts(of name: String) -> [String: [String: PropertyListValue]] {
    guard case .dictionary(let all) = self[name] else { return [:] }
    return all.compactMapValues { if case .dictionary(let parts) = $0 { parts } else { nil } }
  }
}
