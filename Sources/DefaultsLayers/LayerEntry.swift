import Defaults
import DefaultsText

extension Defaults {
  /// The entry of one layer for a setting.
  ///
  /// The description of a secret doesn't show its value; ``entry`` and ``text`` do.
  public struct LayerEntry: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name of the layer: `managed`, `arguments`, `user`; also `registered` and `default`,
    /// which come last.
    public let layer: String
    /// The exact place: `/etc/xdg/app/defaults.plist`, `APP_VOLUME`, `argument 3`. nil if the layer
    /// has no entry.
    public let place: String?
    /// The entry; nil if there is none or its text is invalid.
    public let entry: PropertyListValue?
    /// The value as the user would type it, or the invalid text; nil if there is no entry or the
    /// value is nil.
    public let text: String?
    /// The reason why an existing entry is invalid.
    public let error: SuiteError?
    /// Whether this is the entry in effect.
    public let counts: Bool
    /// Whether the program can't change a setting that has an entry in this layer.
    public let isManaged: Bool
    /// Whether changes are stored in this layer.
    public let isWritable: Bool
    /// Whether the value is redacted: the setting is secret, or a secret layer gives it.
    public let isSecret: Bool

    /// A line: `* environment  APP_VOLUME: 7`.
    @_documentation(visibility: internal)
    public var description: String {
      let place = place.map { "  \($0)" } ?? ""
      let value = text.map { isSecret ? ": (secret)" : ": \($0)" } ?? ""
      let words = error.map { " (\($0.reason))" } ?? ""
      return escapedMessage("\(counts ? "*" : " ") \(layer)\(place)\(value)\(words)")
    }

    /// The output of `dump`: the description, which hides secrets.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
      Mirror(self, children: ["entry": "\(self)"], displayStyle: .struct)
    }
  }
}

extension Defaults.Suite {
  /// Returns the entries of all layers for a setting, by precedence, then the registered default
  /// and the key's default.
  ///
  /// A suite without layers counts as a single writable layer. The function reads only memory, and
  /// decodes the entries.
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
      isWritable: Bool = false
    ) {
      let counts = saying.isValid && !isFound
      isFound = isFound || counts
      entries.append(
        Defaults.LayerEntry(
          layer: layer, place: saying.place, entry: saying.entry, text: saying.text,
          error: saying.problem, counts: counts, isManaged: isManaged, isWritable: isWritable,
          isSecret: isSecret(key)))
    }
    let entryOfBase: (String) -> PropertyListValue? = { name in
      if let base { base.entry(named: name) } else { self.entry(named: name) }
    }
    let writable = stack.writableIndex(base: entryOfBase)
    for (index, level) in stack.levels.enumerated() {
      var saying = stack.saying(of: level, on: key.name, base: entryOfBase)
      saying.text = saying.text ?? saying.entry.flatMap { key.text(showing: $0) }
      saying.problem = saying.problem.map(stack.issue)
      add(
        stack.name(of: level, base: entryOfBase), saying, isManaged: level.part.isManaged,
        isWritable: index == writable)
    }
    let registered = support.registeredDefault(named: key.name)
    add(
      "registered",
      LayerStack.Saying(
        entry: registered, text: registered.flatMap { key.text(showing: $0) }, place: nil,
        problem: registered.flatMap { key.problem(with: $0) }))
    add("default", LayerStack.Saying(entry: key.entryOfDefault, text: key.defaultText))
    return entries
  }

  /// Whether the setting is managed by an administrator and can't be changed.
  public func isManaged(_ key: Defaults.AnyKey) -> Bool {
    do throws(Defaults.SuiteError) {
      try requireUnmanaged(key)
      return false
    } catch {
      return true
    }
  }

  /// Throws `managed` if the setting is managed by an administrator.
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

  /// Whether a layer above the writable one overrides the setting, so that changes have no effect.
  public func isShadowed(_ key: Defaults.AnyKey) -> Bool {
    guard let layers else { return false }
    key.introduce(to: self)
    let stack = layers.rule
    if let index = stack.strongest(for: key.name, base: { _ in nil }),
      let writable = stack.writableIndex(base: { layers.base.entry(named: $0) }), index < writable
    {
      return true
    }
    return layers.base.isShadowed(key)
  }

  /// The layers of the suite, if it has any.
  var layers: DerivedEntries<LayerStack>? { stored?.derivation(LayerStack.self) }
}

extension Defaults.AnyKey {
  /// Whether the setting is managed by an administrator, so that setting it throws `managed`.
  /// Disable its control in that case.
  public var isManaged: Bool { suite.isManaged(self) }

  /// Whether a layer above the writable one overrides the setting. Changes are stored, but have no
  /// effect as long as that layer has an entry.
  public var isShadowed: Bool { suite.isShadowed(self) }
}

extension Defaults.SuiteError.Code {
  /// The setting is managed by an administrator and can't be changed.
  public static let managed = Self(rawValue: "managed")
}
