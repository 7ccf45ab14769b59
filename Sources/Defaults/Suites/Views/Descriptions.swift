import Foundation

// The descriptions of changes and suites for `print`: one short line each.

extension Defaults.Change: CustomStringConvertible, CustomReflectable {
  /// The changed names in order, with their entries before and after the change:
  /// `theme: none -> "dark", volume: 5 -> 7 (external)`.
  @_documentation(visibility: internal)
  public var description: String {
    let parts = entries.sortedByName.map { name, entry in
      let isSecret = SecretNames.ofAll.contains(name)
      func brief(_ entry: PropertyListValue?) -> String {
        guard let entry else { return "none" }
        return isSecret ? Description.secret : Description.brief("\(entry)")
      }
      let new = brief(entry.new)
      let start = "\(escaped(name)): "
      return start + (isInitial ? new : "\(brief(entry.old)) -> \(new)")
    }
    return parts.joined(separator: ", ") + (source == .external ? " (external)" : "")
  }

  /// The mirror for `dump` and failed tests: the description, in which secrets are redacted.
  @_documentation(visibility: internal)
  public var customMirror: Mirror {
    Mirror(self, children: ["change": "\(self)"], displayStyle: .struct)
  }
}

extension Defaults.StoredSuiteView {
  /// The label and the number of entries: `~/.config/app/Defaults.plist, 12 entries`.
  @_documentation(visibility: internal)
  public var description: String { Description.of(self) }
}

extension Defaults.UserDefaultsSuite: CustomStringConvertible {
  /// The label and the number of entries.
  @_documentation(visibility: internal)
  public var description: String { Description.of(self) }
}

extension Defaults.Draft: CustomStringConvertible, CustomReflectable {
  /// The suite and the changed names: `2 changes of ~/.config/app/Defaults.plist: theme, volume`.
  @_documentation(visibility: internal)
  public var description: String {
    "\(edits.count) changes of \(Description.place(suite)): "
      + edits.keys.inByteOrder.map { escaped($0) }.joined(separator: ", ")
  }

  /// The mirror for `dump`: the description, which has no values.
  @_documentation(visibility: internal)
  public var customMirror: Mirror {
    Mirror(self, children: ["draft": "\(self)"], displayStyle: .struct)
  }
}

/// The common parts of descriptions.
package enum Description {
  /// The text that replaces a secret value.
  static let secret = "(secret)"

  static func of(_ suite: some Defaults.Suite) -> String {
    let count = suite.names.count
    return "\(place(suite)), \(count) \(count == 1 ? "entry" : "entries")"
  }

  /// The suite's label. A path in the user's home folder begins with a tilde.
  static func place(_ suite: some Defaults.Suite) -> String {
    let home = NSHomeDirectory()
    guard home.count > 1, suite.label.hasPrefix(home + "/") else { return escaped(suite.label) }
    return "~" + escaped(String(suite.label.dropFirst(home.count)))
  }

  /// The name of a type, with a question mark for an optional.
  static func of(_ type: Any.Type) -> String {
    let name = "\(type)"
    return name.hasPrefix("Optional<") ? name.dropFirst(9).dropLast() + "?" : name
  }

  /// A short text for a value. An optional is unwrapped and a string is quoted.
  package static func brief(value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      return mirror.children.first.map { brief(value: $0.value) } ?? "nil"
    }
    if let date = value as? Date { return Defaults.ExactText.text(of: date) }
    return brief((value as? String)?.debugDescription ?? partsIfInvalid(value) ?? "\(value)")
  }

  /// Returns the parts of a value that contains a NaN date, whose own description traps; nil for
  /// any other value.
  private static func partsIfInvalid(_ value: Any) -> String? {
    guard hasInvalidDate(value) else { return nil }
    let mirror = Mirror(reflecting: value)
    // More parts than a short text has space for.
    let parts = mirror.children.prefix(40).map { child in
      if mirror.displayStyle == .dictionary {
        return Mirror(reflecting: child.value).children.map { brief(value: $0.value) }
          .joined(separator: ": ")
      }
      let label = child.label.map { $0.hasPrefix(".") ? "" : "\($0): " } ?? ""
      return label + brief(value: child.value)
    }
    let text = parts.joined(separator: ", ")
    return switch mirror.displayStyle {
    case .struct, .enum: "\(type(of: value))(\(text))"
    case .tuple: "(\(text))"
    default: "[\(text)]"
    }
  }

  private static func hasInvalidDate(_ value: Any) -> Bool {
    if let date = value as? Date { return date.timeIntervalSinceReferenceDate.isNaN }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional, .collection, .set, .dictionary, .tuple: break
    // A description of its own doesn't consist of the parts.
    case .struct, .enum: if value is any CustomStringConvertible { return false }
    default: return false
    }
    return mirror.children.contains { hasInvalidDate($0.value) }
  }

  /// The beginning of a long text, on one line.
  package static func brief(_ text: String) -> String {
    escapedMessage(text.count > 100 ? text.prefix(99) + "…" : text)
  }
}
