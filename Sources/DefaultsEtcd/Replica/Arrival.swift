import Defaults
import Foundation

/// News of the cluster, as they come; in the order of its revisions.
enum Arrival: Sendable {
  /// What one revision has changed.
  case changes([RemoteEntry], revision: Int64)
  /// All entries at a revision; `isOther` if that isn't of the same history as what was known.
  case listing([RemoteEntry], revision: Int64, cluster: String, isOther: Bool)

  var revision: Int64 {
    switch self {
    case .changes(_, let revision), .listing(_, let revision, _, _): revision
    }
  }
}

/// An entry as the cluster has it.
struct RemoteEntry: Sendable {
  enum Content: Sendable {
    case edit(Edit)
    /// Bytes that stand for no value, or a value that the key doesn't allow: the last one that was
    /// right stays.
    case unbelieved(SuiteError)
  }

  let name: String
  /// Its key, where that has another form of the name than the composed one; nil otherwise.
  var otherKey: Data?
  /// The revision of its last change; 0 if it is removed.
  let revision: Int64
  let content: Content
}

/// Turns what the cluster says into entries.
struct EntryReader: Sendable {
  let space: KeySpace
  let encoding: Defaults.EtcdSuite.ValueEncoding
  /// The key of a name, if it is known.
  let key: @Sendable (_ name: String) -> Defaults.AnyKey?

  /// The entry of a key; nil for a mark, and for a key without a name.
  func entry(_ pair: KeyValue, isRemoved: Bool = false) -> RemoteEntry? {
    guard case .entry(let name, let isComposed) = space.content(of: pair.key) else { return nil }
    return RemoteEntry(
      name: name, otherKey: isComposed ? nil : pair.key,
      revision: isRemoved ? 0 : pair.modRevision,
      content: isRemoved ? .edit(.remove) : content(pair.value ?? Data(), of: name))
  }

  private func content(_ bytes: Data, of name: String) -> RemoteEntry.Content {
    let key = key(name)
    var value: PropertyListValue
    do {
      value = try encoding.value(of: bytes)
    } catch {
      return .unbelieved(
        SuiteError(
          .malformed,
          "What the cluster has isn't \(encoding.words): "
            + "\(error.description(in: bytes)). The last value stays; put one in its place",
          key: name, underlying: error))
    }
    if let key, encoding == .json { value = key.entry(ofDecimals: value) }
    guard var problem = key?.problem(with: value) else { return .edit(.set(value)) }
    problem.reason += "; the last value that was right stays"
    return .unbelieved(problem)
  }
}

extension Defaults.EtcdSuite {
  /// How values are written in the cluster.
  public enum ValueEncoding: Sendable, Hashable {
    /// JSON by the convention of ``Defaults/Defaults/JSONFormat``: `7`, `0.5`, `"dark"`,
    /// `{"$date": "2026-11-21T13:03:44Z"}`. People and other programs read and write it.
    case json
    /// A binary property list whose root is the value.
    case propertyList

    var words: String {
      switch self {
      case .json: "JSON"
      case .propertyList: "a binary property list"
      }
    }

    func bytes(of value: PropertyListValue) throws(ConversionError) -> Data {
      switch self {
      case .json:
        var writer = Defaults.JSONWriter(hasLines: false)
        writer.write(value)
        return Data(writer.finish())
      case .propertyList: return try Defaults.PropertyListFormat.binaryData(of: value)
      }
    }

    func value(of bytes: Data) throws(ConversionError) -> PropertyListValue {
      switch self {
      case .json:
        var reader = Defaults.JSONReader(bytes)
        return try reader.wholeValue()
      case .propertyList: return try Defaults.PropertyListFormat.value(ofBinaryData: bytes)
      }
    }
  }
}
