import Defaults
import DefaultsText
import Foundation
import Synchronization

/// The entries of a file, or those of a source without files.
struct WrittenEntries: Sendable {
  let entries: [String: PropertyListValue]
  /// nil for a source without files. The entries of a file may be nested.
  var file: WrittenFile?
  /// Whether numbers are decimal, as in JSON. For a `Float`, the nearest value is used.
  var isDecimal = false

  init(_ entries: [String: PropertyListValue]) { self.entries = entries }

  /// Decodes a file. Throws `malformed`, with the position of the mistake.
  init(_ data: Data, of path: String) throws(Defaults.SuiteError) {
    isDecimal = Defaults.FileSource.isJSON(data)
    file = WrittenFile(path, data)
    do throws(ConversionError) {
      entries =
        isDecimal
        ? try Defaults.JSONFormat(allowsComments: true).decode(data)
        : try Defaults.PropertyListFormat.decode(data).entries
    } catch {
      let isOther = !isDecimal && !data.isEmpty && Defaults.PropertyListFormat.detect(data) == nil
      let reason =
        isOther ? "it is neither JSON nor a property list" : error.description(in: data)
      throw Defaults.SuiteError(
        .malformed,
        "The file is damaged, and its content isn't used until it is repaired: " + reason,
        path: path, underlying: error)
    }
  }

  /// The names of entries.
  var names: Dictionary<String, PropertyListValue>.Keys { entries.keys }

  /// The entry of a name; nil for a reserved name and for a group.
  func entry(of name: String, _ known: Defaults.DeclaredNames) -> PropertyListValue? {
    if Defaults.isReserved(name) { return nil }
    guard file != nil else { return entries[name] }
    let entry = known.entry(of: name, in: entries)
    // The members of a group are the entries.
    if case .dictionary? = entry, known.isGroup(name) { return nil }
    return entry
  }

  /// Whether a member of this name's dictionary may be an entry.
  func isNested(_ name: String) -> Bool {
    if file != nil, case .dictionary? = entries[name] { true } else { false }
  }

  /// The names that differ from those of other entries.
  func differences(from old: Self) -> Set<String> {
    var names = Set(entries.filter { old.entries[$0.key] != $0.value }.keys)
    for name in old.names where entries[name] == nil { names.insert(name) }
    return names
  }
}

/// A file as it was read, with the lines of its names.
final class WrittenFile: Sendable {
  let path: String
  private let lines: Lazily<[String: Int]>

  init(_ path: String, _ data: Data) {
    self.path = path
    lines = Lazily { Defaults.linesOfNames(in: data) }
  }

  /// The path, with the line of a name if it is text.
  func place(of name: String) -> String {
    lines.value[name].map { Self.place(path, line: $0) } ?? path
  }

  static func place(_ path: String, line: Int) -> String { "\(path), line \(line)" }
}

/// A value that is computed when it is first needed.
final class Lazily<Value: Sendable>: Sendable {
  private enum State {
    case pending(@Sendable () -> Value)
    case done(Value)
  }

  private let state: Mutex<State>

  init(_ value: @escaping @Sendable () -> Value) { state = Mutex(.pending(value)) }

  var value: Value {
    // A second thread waits for the value instead of computing it, too.
    let (value, old) = state.withLock { state -> (Value, State?) in
      switch state {
      case .done(let value): return (value, nil)
      case .pending(let compute):
        let (value, old) = (compute(), state)
        state = .done(value)
        return (value, old)
      }
    }
    withExtendedLifetime(old) {}
    return value
  }
}
