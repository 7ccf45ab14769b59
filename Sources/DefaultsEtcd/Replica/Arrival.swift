import Defaults
import Foundation

/// Changes that arrive from the cluster, in the order of its revisions.
enum Arrival: Sendable {
  /// The changes of one revision.
  case changes([RemoteEntry], revision: Int64)
  /// All entries at a revision. `isOther` if the history differs from that of the known entries.
  case listing([RemoteEntry], revision: Int64, cluster: String, isOther: Bool)

  var revision: Int64 {
    switch self {
    case .changes(_, let revision), .listing(_, let revision, _, _): revision
    }
  }
}

/// An entry of the cluster.
struct RemoteEntry: Sendable {
  enum Content: Sendable {
    case edit(Edit)
    /// Invalid bytes, or a value that the key doesn't allow. The last valid value stays.
    case unbelieved(SuiteError)
  }

  let name: String
  /// The key in the cluster if its name isn't in composed form; nil otherwise.
  var otherKey: Data?
  /// The revision of its last change; 0 for a removed entry.
  let revision: Int64
  let content: Content
}

/// Converts the cluster's keys and values to entries.
struct EntryReader: Sendable {
  let space: KeySpace
  let encoding: Defaults.EtcdSuite.ValueEncoding
  /// Returns whether the values of a name are redacted.
  let isSecret: @Sendable (_ name: String) -> Bool
  /// Returns the key of a name, if it is known.
  let key: @Sendable (_ name: String) -> Defaults.AnyKey?

  /// The entry of a key; nil for a mark, or a key without a valid name.
  func entry(_ pair: KeyValue, isRemoved: Bool = false) -> RemoteEntry? {
    guard case .entry(let name, let isComposed) = space.content(of: pair.key) else { return nil }
    return RemoteEntry(
      name: name, otherKey: isComposed ? nil : pair.key,
      revision: isRemoved ? 0 : pair.modRevision,
      content: isRemoved ? .edit(.remove) : content(pair.value ?? Data(), of: name))
  }

  private func content(_ bytes: Data, of name: String) -> RemoteEntry.Content {
    let key = key(name)
    let isSecret = key?.isSecret == true || isSecret(name)
    var value: PropertyListValue
    do {
      value = try encoding.value(of: bytes)
    } catch {
      let details =
        isSecret ? "; the details are redacted" : ": \(error.description(in: bytes))"
      return .unbelieved(
        SuiteError(
          .malformed,
          "The value in the cluster isn't \(encoding.words)\(details). The last valid value stays; "
            + "store a valid value",
          key: name, underlying: isSecret ? nil : error))
    }
    do throws(SuiteError) {
      // A cache couldn't store the entry.
      try Defaults.PropertyListFormat.binary.validate(value, named: name)
    } catch var problem {
      problem.reason += "; the last valid value stays"
      return .unbelieved(problem)
    }
    if let key, encoding == .json { value = key.entry(ofDecimals: value) }
    guard let key, var problem = key.problem(with: value) else { return .edit(.set(value)) }
    if isSecret, !key.isSecret {
      // The reason may quote the value.
      problem.reason = "The value in the cluster isn't allowed; the details are redacted"
      problem.underlying = nil
    }
    problem.reason += "; the last valid value stays"
    return .unbelieved(problem)
  }
}

extension Defaults.EtcdSuite {
  /// The format of values in the cluster.
  public enum ValueEncoding: Sendable, Hashable {
    /// JSON with the tags of ``Defaults/Defaults/JSONFormat``: `7`, `0.5`, `"dark"`, `{"$date":
    /// "2026-11-21T13:03:44Z"}`. Readable and writable for people and other programs.
    case json
    /// A binary property list whose root is the value.
    case propertyList

    var words: String {
      switch self {
      case .json: "JSON"
      case .propertyList: "a binary property list"
      }
    }

    /// Returns the bytes of a value; throws if the format can't hold it exactly.
    func bytes(of value: PropertyListValue) throws(ConversionError) -> Data {
      switch self {
      case .json:
        var writer = Defaults.JSONWriter(hasLines: false)
        writer.write(value)
        return Data(writer.finish())
      case .propertyList:
        do {
          try Defaults.PropertyListFormat.binary.validate(value)
          return try PropertyListSerialization.data(
            fromPropertyList: FoundationPropertyList.object(of: value), format: .binary, options: 0)
        } catch {
          throw ConversionError("the value can't be written: \(error)")
        }
      }
    }

    func value(of bytes: Data) throws(ConversionError) -> PropertyListValue {
      switch self {
      case .json:
        var reader = Defaults.JSONReader(bytes)
        return try reader.wholeValue()
      case .propertyList: return try BinaryPropertyListDecoder.decodeValue(bytes)
      }
    }
  }
}
