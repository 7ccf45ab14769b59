import Foundation

// What `print` shows of a change and a suite: a short line each.

extension Defaults.Change: CustomStringConvertible {
  /// The changed names, in order, with their entries before and after:
  /// `theme: none -> "dark", volume: 5 -> 7 (external)`.
  @_documentation(visibility: internal)
  public var description: String {
    let parts = entries.sortedByName.map { name, entry in
      let isSecret = SecretNames.ofAll.contains(name)
      func brief(_ entry: Defaults.PropertyListValue?) -> String {
        guard let entry else { return "none" }
        return isSecret ? Description.secret : Description.brief("\(entry)")
      }
      let new = brief(entry.new)
      let start = "\(escaped(name)): "
      return start + (isInitial ? new : "\(brief(entry.old)) -> \(new)")
    }
    return parts.joined(separator: ", ") + (source == .external ? " (external)" : "")
  }
}

extension Defaults.Change: CustomReflectable {
  /// What `dump` and failed tests show: the description, which hides secrets.
  @_documentation(visibility: internal)
  public var customMirror: Mirror {
    Mirror(self, children: ["change": "\(self)"], displayStyle: .struct)
  }
}

extension Defaults.StoredSuiteView {
  /// Where the entries are kept, and how many there are:
  /// `~/.config/app/Defaults.plist, 12 entries`.
  @_documentation(visibility: internal)
  public var description: String { Description.of(self) }
}

extension Defaults.UserDefaultsSuite: CustomStringConvertible {
  /// What the suite is called, and how many entries there are.
  @_documentation(visibility: internal)
  public var description: String { Description.of(self) }
}

extension Defaults.Draft: CustomStringConvertible {
  /// The names that are changed so far, and where: `2 changes of ~/.config/app/Defaults.plist:
  /// theme, volume`.
  @_documentation(visibility: internal)
  public var description: String {
    "\(edits.count) changes of \(Description.place(suite)): "
      + edits.keys.inByteOrder.map { escaped($0) }.joined(separator: ", ")
  }
}

extension Defaults.Draft: CustomReflectable {
  /// What `dump` shows: the description, which shows no values.
  @_documentation(visibility: internal)
  public var customMirror: Mirror {
    Mirror(self, children: ["draft": "\(self)"], displayStyle: .struct)
  }
}

/// What descriptions have in common.
package enum Description {
  /// What stands in place of a secret value.
  static let secret = "(secret)"

  static func of(_ suite: some Defaults.Suite) -> String {
    let count = suite.names.count
    return "\(place(suite)), \(count) \(count == 1 ? "entry" : "entries")"
  }

  /// The suite's label; a path in the user's folder begins with a tilde.
  static func place(_ suite: some Defaults.Suite) -> String {
    let home = NSHomeDirectory()
    guard home.count > 1, suite.label.hasPrefix(home + "/") else { return escaped(suite.label) }
    return "~" + escaped(String(suite.label.dropFirst(home.count)))
  }

  /// A type, with a question mark for an optional.
  static func of(_ type: Any.Type) -> String {
    let name = "\(type)"
    return name.hasPrefix("Optional<") ? name.dropFirst(9).dropLast() + "?" : name
  }

  /// A value, in short: an optional is what it wraps, and text stands in quotes.
  package static func brief(value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      return mirror.children.first.map { brief(value: $0.value) } ?? "nil"
    }
    return brief((value as? String)?.debugDescription ?? "\(value)")
  }

  /// The beginning of a long text, on one line.
  package static func brief(_ text: String) -> String {
    escapedMessage(text.count > 100 ? text.prefix(99) + "…" : text)
  }
}
