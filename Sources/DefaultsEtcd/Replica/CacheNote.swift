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
      case .bool(let wasThere) = parts["wasThere"]
    else { return nil }
    self.init(edit: Edit(entry: parts["value"]), knownUpTo: limit, wasThere: wasThere)
  }

  fileprivate var entry: PropertyListValue {
    var parts: [String: PropertyListValue] = [
      "knownUpTo": .integer(knownUpTo), "wasThere": .bool(wasThere),
    ]
    parts["value"] = edit.entry
    return .dictionary(parts)
  }
}

extension SentTransaction {
  fileprivate init?(of writer: String, _ parts: [String: PropertyListValue]) {
    guard case .string(let text) = parts["mark"], case .integer(let before) = parts["before"],
      case .integer(let lease) = parts["lease"]
    else { return nil }
    mark = Mark(writer: writer, text: text, before: before, lease: lease)
    edits = parts.parts(of: "edits").mapValues { Edit(entry: $0["value"]) }
  }

  fileprivate var entry: PropertyListValue {
    [
      "mark": .string(mark.text), "before": .integer(mark.before), "lease": .integer(mark.lease),
      "edits": .dictionary(
        edits.mapValues { edit in .dictionary(edit.entry.map { ["value": $0] } ?? [:]) }),
    ]
  }
}

extension [String: PropertyListValue] {
  /// The nested dictionaries under a name, by their keys.
  fileprivate func parts(of name: String) -> [String: [String: PropertyListValue]] {
    guard case .dictionary(let all) = self[name] else { return [:] }
    return all.compactMapValues { if case .dictionary(let parts) = $0 { parts } else { nil } }
  }
}
