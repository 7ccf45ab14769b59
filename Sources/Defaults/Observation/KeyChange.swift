extension Defaults {
  /// An event for the observer of one key: its value before and after a change.
  public struct KeyChange<Value: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    /// The value before the change. In an initial event, the current value.
    public let oldValue: Value
    /// The value after the change. In an initial event, the current value.
    public let newValue: Value
    /// The error if the new entry doesn't decode as the key's type, so that `newValue` is the
    /// default; otherwise nil.
    public let error: SuiteError?
    /// Whether this is the first of the two events per change that ``ObservationOptions/prior``
    /// requests.
    public let isPrior: Bool
    /// Whether this is the event that ``ObservationOptions/initial`` requests.
    public let isInitial: Bool
    /// Whether only the error is new and the values are equal.
    let isSame: Bool
    let isSecret: Bool
    /// The source of the change.
    public let source: Change.Source
    /// The origin that the writer in this process has set; see ``Defaults/withOrigin(_:_:)``.
    public let origin: String?
    /// The layer that has changed, in a suite that consists of layers; see ``Change/layer``.
    public let layer: String?

    /// Both values, such as `5 -> 7`; redacted for a secret key.
    @_documentation(visibility: internal)
    public var description: String {
      if isSecret { return isInitial ? Description.secret : "\(Description.secret), changed" }
      let new = Description.brief(value: newValue)
      return isInitial ? new : "\(Description.brief(value: oldValue)) -> \(new)"
    }

    /// The mirror for `dump` and failed tests. It shows no value of a secret key.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
      Mirror(self, children: ["change": "\(self)"], displayStyle: .struct)
    }
  }

  /// The event for an observer if the stored entry isn't a value of the key's type.
  public enum UndecodableEntryPolicy: Sendable, Hashable {
    /// The observer receives the default value, as a read does.
    case useDefault
    /// The observer receives no event. The next valid value is reported as a change from the last
    /// valid value. An observer that begins with such an entry first receives the default.
    case skip
  }
}

extension Defaults.KeyChange: Equatable where Value: Equatable {
  /// Whether both events have equal contents. Errors are equal if their descriptions are.
  @_documentation(visibility: internal)
  public static func == (left: Self, right: Self) -> Bool {
    left.oldValue == right.oldValue && left.newValue == right.newValue
      && left.error?.description == right.error?.description
      && (left.isPrior, left.isInitial) == (right.isPrior, right.isInitial)
      && (left.source, left.origin, left.layer) == (right.source, right.origin, right.layer)
  }
}

/// Turns the changes of an entry into the events of its key. Called for one change at a time.
final class KeyEvents<Value: Sendable>: Sendable {
  /// A value, and the error if the observer got it in place of an entry that doesn't decode.
  private typealias Told = (value: Value, problem: SuiteError?)

  private let key: Defaults.Key<Value>
  private let suite: any Defaults.Suite
  private let response: Defaults.UndecodableEntryPolicy
  /// The last event of the observer; nil if each change determines the old value. It doesn't if the
  /// observer skips entries, or the key is required, has previous names, or has a default that is
  /// generated once.
  private let told: Lock<Told?>?
  /// The entries of a key with previous names, under all its names, as of the last change: a later
  /// commit may have changed those of the suite. nil for other keys, and for a suite that may have
  /// changed without an event.
  private let entries: Lock<[String: PropertyListValue]>?
  /// Whether the observer requested an initial event.
  private let isInitialWanted: Bool
  /// The requests of the observer. Also, if the old values aren't known without them, requests for
  /// an initial event and for silent changes.
  let options: Defaults.ObservationOptions

  init(
    _ key: Defaults.Key<Value>, _ suite: any Defaults.Suite, _ options: Defaults.ObservationOptions,
    _ response: Defaults.UndecodableEntryPolicy
  ) {
    self.key = key
    self.suite = suite
    self.response = response
    let mustKnow = key.isRequired || !key.previousNames.isEmpty || key.isGeneratedOnce
    told = mustKnow || response == .skip ? Lock(nil) : nil
    entries = key.previousNames.isEmpty || suite.stored == nil ? nil : Lock([:])
    isInitialWanted = options.contains(.initial)
    var options = mustKnow ? options.union(.initial) : options
    if told != nil { options.insert(.silent) }
    self.options = options
  }

  /// Returns the event for a change; nil if there is none.
  func event(for change: Defaults.Change) -> Defaults.KeyChange<Value>? {
    let (entry, present) = (change.entries[key.name], present(after: change))
    if change.kind == .silent || change.isInitial && !isInitialWanted {
      let known = key.knownValue(ofEntry: present, in: suite)
      if response == .useDefault || known?.problem == nil {
        told?.replace(with: known)
      } else if !change.isInitial, let before = before(entry?.old), before.problem == nil {
        told?.replace(with: before)
      }
      return nil
    }
    guard let (new, problem) = key.knownValue(ofEntry: present, in: suite) else {
      suite.support.report(key.missing(in: suite))
      return nil
    }
    if problem == nil { key.remember(new, in: suite) }
    // Reported once, until the entry decodes again.
    if let problem { suite.support.report(problem) }
    var (old, isSame) = (new, false)
    if !change.isInitial {
      let before = before(entry?.old)
      if problem != nil, response == .skip {
        // Keep the last good value if the observer has received no event yet.
        if let before, before.problem == nil { told?.replace(with: before) }
        return nil
      }
      if let before {
        old = before.value
        // The two entries of a change differ, but the default or the last event may be stored like
        // an entry.
        let mayBeStoredAlike = told != nil || entry?.old == nil || entry?.new == nil
        isSame = key.areEqual(old, new, mayBeStoredAlike: mayBeStoredAlike)
        if isSame, (before.problem == nil) == (problem == nil) { return nil }
      }
    }
    if !change.isPrior { told?.replace(with: (new, problem)) }
    return Defaults.KeyChange(
      oldValue: old, newValue: new, error: problem, isPrior: change.isPrior,
      isInitial: change.isInitial, isSame: isSame,
      isSecret: key.isSecret || SecretNames.ofAll.contains(key.name), source: change.source,
      origin: change.origin, layer: change.layer)
  }

  /// Returns the entry that a read would find if no later change had been made.
  private func present(after change: Defaults.Change) -> PropertyListValue? {
    guard let entries else {
      let entry = change.entries[key.name]
      if entry?.new != nil || key.previousNames.isEmpty { return entry?.new }
      // A previous name has changed, or a previous name's entry applies now.
      return (entry == nil ? suite.entry(named: key.name) : nil) ?? key.previousEntry(in: suite)
    }
    // A suite of layers has found an entry under a previous name itself.
    let isResolved = suite.stored?.derived?.resolvesPreviousNames == true
    return entries.withLock { entries in
      for (name, entry) in change.entries { entries[name] = entry.new }
      let name = isResolved ? key.name : key.allNames.first { entries[$0] != nil }
      return name.flatMap { entries[$0] }
    }
  }

  /// Returns the value or error that the observer knew before a change; nil if it is unknown.
  private func before(_ entry: PropertyListValue?) -> Told? {
    let told = told?.withLock { $0 }
    if told != nil, response == .skip || entry == nil || !key.previousNames.isEmpty { return told }
    if entry == nil, key.isGeneratedOnce { return nil }
    let known = key.knownValue(ofEntry: entry, in: suite)
    // Without a valid entry, a required key has its last valid value, which is the new one by now.
    return key.isRequired && known?.problem != nil ? told : known
  }
}
