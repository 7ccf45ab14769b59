import Defaults
import DefaultsText

/// The layers of a suite, and the settings that result from them.
struct LayerStack: Derivation {
  /// A layer and its content.
  struct Level: Sendable {
    let part: Defaults.Layer.Part
    /// nil before the first loading, and for the writable layer.
    var content: Defaults.LayerContent? { didSet { namesByPlace = Lock([:]) } }
    /// The names of the known settings that are read from the places of the content's texts. The
    /// copies of a level share them, since the texts are converted without a lock.
    private(set) var namesByPlace = Lock<[String: Set<String>]>([:])
    /// The errors of the last loading.
    var problems: [Defaults.SuiteError] = []
    /// The names in its files, and variables, that no setting has; nil until all keys are declared.
    var unknown: UnknownReport?

    init(_ part: Defaults.Layer.Part) { self.part = part }

    var isWritable: Bool { if case .writable = part.content { true } else { false } }

    /// The choice of the profile whose entries the level has; nil for all other levels.
    var profile: ProfileChoice? {
      if case .profile(let choice) = part.content { choice } else { nil }
    }

    /// Whether the entries are in the base.
    var isStored: Bool { isWritable || profile != nil }

    /// Returns whether the level is secret and gives a key's value.
    func hasSecret(_ key: Defaults.AnyKey) -> Bool {
      guard part.isSecret, case .texts(let text)? = content?.kind else { return false }
      return text(key) != nil
    }

    /// The layer's label in issues.
    var label: String { part.label }
  }

  /// The entry of one layer for a setting.
  struct Saying {
    /// The entry, valid or not.
    var entry: PropertyListValue?
    /// The text of the entry.
    var text: String?
    /// The place of the entry.
    var place: String?
    /// The reason why the entry is invalid.
    var problem: Defaults.SuiteError?

    var isValid: Bool { entry != nil && problem == nil }
  }

  typealias Base = (String) -> PropertyListValue?

  var levels: [Level]
  /// The known keys, detached from their suites: a suite that retains its keys is never released.
  var keys: [String: Defaults.AnyKey] = [:]
  /// The names of the known keys.
  var known = Defaults.DeclaredNames()
  /// Whether all keys are known, so that other names in files and variables are issues.
  var isComplete = false
  /// The current names of settings, by their previous names.
  var presentNames: [String: Set<String>] = [:]
  /// Returns whether the values of a name are redacted.
  let isSecret: @Sendable (String) -> Bool
  /// Redacts the names that a secret layer gives.
  let addSecrets: @Sendable (Set<String>) -> Void
  /// Reports an issue of the suite.
  let report: @Sendable (Defaults.SuiteError) -> Void

  /// The objects that reload the sources of the layers.
  private var loaded: [LoadedSource] = []

  init(
    _ levels: [Level], isSecret: @escaping @Sendable (String) -> Bool,
    addSecrets: @escaping @Sendable (Set<String>) -> Void,
    report: @escaping @Sendable (Defaults.SuiteError) -> Void
  ) {
    self.levels = levels
    self.isSecret = isSecret
    self.addSecrets = addSecrets
    self.report = report
  }

  /// Creates a stack for a suite without layers, with one key.
  init(plain suite: any Defaults.Suite, _ key: Defaults.AnyKey) {
    levels = [Level(Defaults.Layer.Part(name: "user", content: .writable(suite.stored)))]
    keys = [key.name: key]
    isSecret = suite.support.isSecret
    addSecrets = { _ in }
    report = { _ in }
  }

  /// Retains the sources of the layers as long as the suite lives.
  mutating func keep(_ sources: [LoadedSource]) { loaded = sources }

  var sources: [Defaults.StoredSuite] { loaded.compactMap(\.suite) }

  var resolvesPreviousNames: Bool { true }

  func reload() { for source in loaded where source.suite != nil { source.load() } }

  func refresh() { for source in loaded { source.refresh() } }
}

// MARK: - Entries in effect

extension LayerStack {
  func entry(named name: String, base: Base) -> PropertyListValue? {
    let key = keys[name]
    var unreadable: PropertyListValue?
    for level in levels {
      guard let (entry, isValid) = entry(by: level, for: name, key, base: base) else { continue }
      if isValid { return entry }
      // An invalid entry stays visible: a read reports it and returns the default.
      if level.isStored, unreadable == nil { unreadable = entry }
    }
    return unreadable
  }

  func entryOfDraft(named name: String, base: Base) -> PropertyListValue? {
    entry(named: name, base: base)
  }

  /// The layer whose entry for a name is in effect; nil if there is none.
  func strongest(for name: String, base: Base) -> Int? {
    let key = keys[name]
    return levels.firstIndex { entry(by: $0, for: name, key, base: base)?.isValid == true }
  }

  /// The entry or text of a layer for a name.
  private enum Found {
    case text(Defaults.LayerText, Defaults.AnyKey)
    /// An entry, the name that it has, and its file.
    case entry(PropertyListValue, String, WrittenFile?)
  }

  private func found(
    by level: Level, for name: String, _ key: Defaults.AnyKey?, base: Base
  ) -> Found? {
    switch level.content?.kind {
    case .texts(let text):
      guard let key, let text = text(key) else { return nil }
      return .text(text, key)
    case .entries(let all):
      for written in all {
        let found = entry(of: name, key) { written.entry(of: $0, known) }
        guard let (entry, written: writtenName) = found else { continue }
        let exact = written.isDecimal ? key?.entry(ofDecimals: entry) : nil
        return .entry(exact ?? entry, writtenName, written.file)
      }
      return nil
    case nil:
      let prefix = level.profile?.prefix(in: base)
      guard level.isWritable || prefix != nil else { return nil }
      return entry(of: name, key) { base((prefix ?? "") + $0) }
        .map { .entry($0.value, $0.written, nil) }
    }
  }

  /// The entry of a layer, and whether it is valid. Omits the messages of `saying`, which would
  /// take longer than the rest of a set.
  func entry(
    by level: Level, for name: String, _ key: Defaults.AnyKey?, base: Base
  ) -> (value: PropertyListValue, isValid: Bool)? {
    switch found(by: level, for: name, key, base: base) {
    case .text(let text, let key): (try? entry(of: text, for: key)).map { ($0, true) }
    case .entry(let entry, _, _): (entry, key.map { $0.problem(with: entry) == nil } ?? true)
    case nil: nil
    }
  }

  /// The entry of a layer for a setting, with its place and its problem.
  func saying(of level: Level, on name: String, base: Base) -> Saying {
    let key = keys[name]
    var saying = Saying()
    switch found(by: level, for: name, key, base: base) {
    case .text(let text, let key):
      saying.place = text.place
      do throws(SuiteError) {
        saying.entry = try entry(of: text, for: key)
        // Without a text, the text of the entry is shown.
        if text.data == nil || !key.takesData { saying.text = text.text }
      } catch {
        saying.text = text.text
        saying.problem = problem(error, of: level, key, saying)
      }
    case .entry(let entry, let written, let file):
      saying.entry = entry
      if let key {
        saying.place = file?.place(of: written) ?? (level.isStored ? storedLabel : level.label)
        saying.problem = key.problem(with: entry).map { problem($0, of: level, key, saying) }
      }
    case nil: break
    }
    return saying
  }

  /// The problem of an entry as an issue, which also says what happens next.
  func issue(of problem: Defaults.SuiteError) -> Defaults.SuiteError {
    guard levels.count > 1 else { return problem }
    var issue = problem
    issue.reason += "; the next layer is used"
    return issue
  }

  /// The entry of a text. Throws the reason if the text isn't valid.
  private func entry(
    of text: Defaults.LayerText, for key: Defaults.AnyKey
  ) throws(Defaults.SuiteError) -> PropertyListValue? {
    if let data = text.data, key.takesData {
      if let problem = key.problem(with: .data(data)) { throw problem }
      return .data(data)
    }
    if let words = text.reason { throw SuiteError(.invalid, words, key: key.name) }
    return try key.entry(ofText: text.text)
  }

  /// The entry of a name, or of a previous name of the setting, and the entry's name.
  private func entry(
    of name: String, _ key: Defaults.AnyKey?, in entries: Base
  ) -> (value: PropertyListValue, written: String)? {
    if let entry = entries(name) { return (entry, name) }
    guard let key else { return nil }
    for name in key.previousNames {
      if let entry = entries(name) { return (entry, name) }
    }
    return nil
  }

  /// Returns whether a secret layer gives a key's value, also a layer of a suite that is a layer.
  func hasSecret(_ key: Defaults.AnyKey) -> Bool {
    if levels.contains(where: { $0.hasSecret(key) }) { return true }
    // The errors of a secret key quote no value.
    return !key.isSecret && key.allNames.contains(where: isSecret)
  }

  private func problem(
    _ error: Defaults.SuiteError, of level: Level, _ key: Defaults.AnyKey, _ saying: Saying
  ) -> Defaults.SuiteError {
    var error = error
    if error.code == .invalid || error.code == .undecodable, hasSecret(key) {
      // The reason may quote the value.
      error.reason = "It must be \(key.acceptedValues); the value is redacted"
      error.underlying = nil
    }
    error.suite = saying.place ?? level.label
    return error
  }
}
