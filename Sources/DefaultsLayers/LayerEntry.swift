import Defaults
import DefaultsText

extension Defaults {
  /// What one layer says of a setting.
  ///
  /// A description of a secret doesn't show the value; ``entry`` and ``text`` have it.
  public struct LayerEntry: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of the layer: `managed`, `arguments`, `user`; also `registered` and `default`, which
    /// come last.
    public let layer: String
    /// Where exactly it stands: `/etc/xdg/app/defaults.plist`, `APP_VOLUME`, `argument 3`. nil where
    /// the layer has nothing.
    public let place: String?
    /// The entry; nil where the layer has none, or a text that stands for none.
    public let entry: PropertyListValue?
    /// The value as a person would type it, or the text that was found; nil where the layer has
    /// nothing, and for nil.
    public let text: String?
    /// Why the entry doesn't count although it is there.
    public let error: SuiteError?
    /// Whether this is the one that counts.
    public let counts: Bool
    /// Whether what this layer gives can't be set.
    public let isManaged: Bool
    /// Whether what is set goes here.
    public let isWritable: Bool
    let isSecret: Bool

    /// A line: `* environment  APP_VOLUME: 7`.
    @_documentation(visibility: internal)
    public var description: String {
      let place = place.map { "  \($0)" } ?? ""
      let value = text.map { isSecret ? ": (secret)" : ": \($0)" } ?? ""
      let words = error.map { " (\($0.reason))" } ?? ""
      return escapedMessage("\(counts ? "*" : " ") \(layer)\(place)\(value)\(words)")
    }

    /// What `dump` shows: the description, which hides secrets.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
      Mirror(self, children: ["entry": "\(self)"], displayStyle: .struct)
    }
  }
}

extension Defaults.Suite {
  /// What each layer says of a setting, the strongest first, with the one that counts; then the
  /// registered default and that of the key.
  ///
  /// A suite without layers has one, the writable one. Looks at nothing but memory; the entries of
  /// layers are decoded.
  ///
  /// ```swift
  /// for entry in suite.inspect(.volume) { print(entry) }
  /// // * environment  APP_VOLUME: 7
  /// //   user  /home/me/.config/app/Defaults.plist: 5
  /// //   default: 3
  /// ```
  public func inspect(_ key: Defaults.AnyKey) -> [Defaults.LayerEntry] {
    key.introduce(to: self)
    let stack = layers?.rule ?? LayerStack(plain: self, key)
    let base = layers?.base
    var entries: [Defaults.LayerEntry] = []
    var isFound = false
    func add(
      _ layer: String, _ saying: LayerStack.Saying, isManaged: Bool = false,
      isWritable: Bool = false, mayCount: Bool = true
    ) {
      let counts = saying.isValid && !isFound && mayCount
      isFound = isFound || counts
      entries.append(
        Defaults.LayerEntry(
          layer: layer, place: saying.place, entry: saying.entry, text: saying.text,
          error: saying.problem, counts: counts, isManaged: isManaged, isWritable: isWritable,
          isSecret: key.isSecret))
    }
    for level in stack.levels {
      var saying = stack.saying(of: level, on: key.name) { name in
        if let base { base.entry(named: name) } else { self.entry(named: name) }
      }
      saying.text = saying.text ?? saying.entry.flatMap { key.text(showing: $0) }
      add(
        level.part.name, saying, isManaged: level.part.isManaged, isWritable: level.isWritable)
    }
    // A read that finds an entry that isn't a value gives the key's own default.
    let isUnreadable = entry(named: key.name).map { key.problem(with: $0) != nil } ?? false
    let registered = support.registeredDefault(named: key.name)
    add(
      "registered",
      LayerStack.Saying(
        entry: registered, text: registered.flatMap { key.text(showing: $0) }, place: nil,
        problem: registered.flatMap { key.problem(with: $0) }),
      mayCount: !isUnreadable)
    add("default", LayerStack.Saying(entry: key.entryOfDefault, text: key.defaultText))
    return entries
  }

  /// Whether the administrator prescribes the setting, so that it can't be set here.
  public func isManaged(_ key: Defaults.AnyKey) -> Bool {
    do throws(Defaults.SuiteError) {
      try requireUnmanaged(key)
      return false
    } catch {
      return true
    }
  }

  /// Throws `managed` if the administrator prescribes the setting.
  package func requireUnmanaged(_ key: Defaults.AnyKey) throws(Defaults.SuiteError) {
    guard let layers else { return }
    key.introduce(to: self)
    do throws(Defaults.SuiteError) {
      try layers.rule.checkWritable(key.name)
    } catch {
      var error = error
      error.suite = label
      throw error
    }
    try layers.base.requireUnmanaged(key)
  }

  /// Whether a layer above the writable one gives the setting, so that setting it has no effect now.
  public func isShadowed(_ key: Defaults.AnyKey) -> Bool {
    guard let layers else { return false }
    key.introduce(to: self)
    let stack = layers.rule
    if let index = stack.strongest(for: key.name, base: { _ in nil }),
      let writable = stack.levels.firstIndex(where: \.isWritable), index < writable
    {
      return true
    }
    return layers.base.isShadowed(key)
  }

  /// What holds the layers, if the suite has some.
  var layers: DerivedEntries<LayerStack>? { stored?.derivation(LayerStack.self) }
}

extension Defaults.AnyKey {
  /// Whether the administrator prescribes the setting, so that setting it throws `managed`; for a
  /// control that is greyed then.
  public var isManaged: Bool { suite.isManaged(self) }

  /// Whether a layer above the writable one gives the setting: it can be set, and that has no effect
  /// as long as that layer gives it.
  public var isShadowed: Bool { suite.isShadowed(self) }
}

extension Defaults.SuiteError.Code {
  /// The administrator prescribes the setting, so that it can't be set; it stays as it is.
  public static let managed = Self(rawValue: "managed")
}
