import Defaults
import DefaultsText

/// The layers of a suite, and the settings that result from them.
struct LayerStack: Derivation {
  /// A layer and its content.
  struct Level: Sendable {
    let part: Defaults.Layer.Part
    /// nil before the first loading, and for the writable layer.
    var content: Defaults.LayerContent?
    /// The error of the last loading.
    var problem: Defaults.SuiteError?

    init(_ part: Defaults.Layer.Part) { self.part = part }

    var isWritable: Bool { if case .writable = part.content { true } else { false } }

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

  private(set) var levels: [Level]
  /// The known keys, detached from their suites: a suite that retains its keys is never released.
  private var keys: [String: Defaults.AnyKey] = [:]
  /// The current names of settings, by their previous names.
  private var presentNames: [String: Set<String>] = [:]

  /// The objects that reload the sources of the layers.
  private var loaded: [LoadedSource] = []

  init(_ levels: [Level]) { self.levels = levels }

  /// Creates a stack for a suite without layers, with one key.
  init(plain suite: any Defaults.Suite, _ key: Defaults.AnyKey) {
    levels = [Level(Defaults.Layer.Part(name: "user", content: .writable(suite.stored)))]
    keys = [key.name: key]
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
      if level.isWritable { unreadable = entry }
    }
    return unreadable
  }

  /// The layer whose entry for a name is in effect; nil if there is none.
  func strongest(for name: String, base: Base) -> Int? {
    let key = keys[name]
    return levels.firstIndex { entry(by: $0, for: name, key, base: base)?.isValid == true }
  }

  /// The entry or text of a layer for a name.
  private enum Found {
    case text(Defaults.LayerText, Defaults.AnyKey)
    case entry(PropertyListValue)
  }

  private func found(
    by level: Level, for name: String, _ key: Defaults.AnyKey?, base: Base
  ) -> Found? {
    switch level.content?.kind {
    case .texts(let text):
      guard let key, let text = text(key) else { return nil }
      return .text(text, key)
    case .entries(let entries):
      let entry = entry(of: name, key) { Defaults.isReserved($0) ? nil : entries[$0] }
      guard let key, level.content?.isDecimal == true else { return entry.map(Found.entry) }
      return entry.map { .entry(key.entry(ofDecimals: $0)) }
    case nil: return level.isWritable ? entry(of: name, key, in: base).map(Found.entry) : nil
    }
  }

  /// The entry of a layer, and whether it is valid. Omits the messages of `saying`, which would
  /// take longer than the rest of a set.
  private func entry(
    by level: Level, for name: String, _ key: Defaults.AnyKey?, base: Base
  ) -> (value: PropertyListValue, isValid: Bool)? {
    switch found(by: level, for: name, key, base: base) {
    case .text(let text, let key):
      text.reason == nil ? (try? key.entry(ofText: text.text)).map { ($0, true) } : nil
    case .entry(let entry): (entry, key.map { $0.problem(with: entry) == nil } ?? true)
    case nil: nil
    }
  }

  /// The entry of a layer for a setting, with its place and its problem.
  func saying(of level: Level, on name: String, base: Base) -> Saying {
    let key = keys[name]
    var saying = Saying()
    switch found(by: level, for: name, key, base: base) {
    case .text(let text, let key):
      (saying.text, saying.place) = (text.text, text.place)
      do throws(SuiteError) {
        if let words = text.reason { throw SuiteError(.invalid, words, key: name) }
        saying.entry = try key.entry(ofText: text.text)
      } catch {
        saying.problem = problem(error, of: level, saying)
      }
    case .entry(let entry):
      saying.entry = entry
      if let key {
        saying.place = level.label
        saying.problem = key.problem(with: entry).map { problem($0, of: level, saying) }
      }
    case nil: break
    }
    return saying
  }

  /// The part of a problem's reason about what happens next.
  static let consequence = "; the next layer is used"

  /// The entry of a name, or of a previous name of the setting.
  private func entry(of name: String, _ key: Defaults.AnyKey?, in entries: Base)
    -> PropertyListValue?
  {
    if let entry = entries(name) { return entry }
    guard let key else { return nil }
    for name in key.allNames.dropFirst() {
      if let entry = entries(name) { return entry }
    }
    return nil
  }

  private func problem(
    _ error: Defaults.SuiteError, of level: Level, _ saying: Saying
  ) -> Defaults.SuiteError {
    var error = error
    error.suite = saying.place ?? level.label
    if levels.count > 1 { error.reason += Self.consequence }
    return error
  }
}

// MARK: - Derivation

extension LayerStack {
  func names(with base: Set<String>) -> Set<String> {
    var names = base.union(keys.keys)
    for level in levels {
      if case .entries(let entries) = level.content?.kind { names.formUnion(entries.keys) }
    }
    return names
  }

  func names(dependingOn name: String) -> [String] {
    [name] + (presentNames[name] ?? [])
  }

  func problems(of names: Set<String>) -> [Defaults.SuiteError] {
    var problems = levels.compactMap(\.problem)
    for level in levels where !level.isWritable {
      for name in names where keys[name] != nil {
        if let problem = saying(of: level, on: name, base: { _ in nil }).problem {
          problems.append(problem)
        }
      }
      problems += conflicts(of: names, in: level)
    }
    return problems
  }

  /// The texts that several settings share, such as those of an ambiguous environment variable.
  func conflicts(of names: Set<String>, in level: Level) -> [Defaults.SuiteError] {
    guard case .texts(let text) = level.content?.kind else { return [] }
    return names.sorted().compactMap { keys[$0] }.compactMap { key in
      guard let place = text(key)?.place,
        let other = keys.values.first(where: { $0.name != key.name && text($0)?.place == place })
      else { return nil }
      return Defaults.SuiteError(
        .conflictingDeclarations,
        "It gives this setting and \"\(other.name)\" the same value; rename one of them",
        suite: place, key: key.name)
    }
  }

  func checkWritable(_ name: String) throws(Defaults.SuiteError) {
    guard levels.contains(where: \.part.isManaged),
      let index = strongest(for: name, base: { _ in nil }), levels[index].part.isManaged
    else { return }
    throw Defaults.SuiteError(
      .managed,
      "The setting is managed by \(levels[index].label) and can't be changed here",
      key: name)
  }

  mutating func addKey(_ key: any DeclaredKey) -> Set<String>? {
    guard let key = key as? Defaults.AnyKey, keys[key.name] == nil else { return nil }
    keys[key.name] = key.detached
    for name in key.allNames.dropFirst() { presentNames[name, default: []].insert(key.name) }
    return Set(key.allNames)
  }

  /// Stores new content, or the reason why there is none. Returns the names that differ.
  mutating func put(
    _ content: Defaults.LayerContent?, _ problem: Defaults.SuiteError?, at index: Int
  ) -> Set<String> {
    levels[index].problem = problem
    guard let content else { return [] }
    let old = levels[index].content
    levels[index].content = content
    switch (old?.kind, content.kind) {
    case (.entries(let old), .entries(let new)): return named(differences(old, new))
    case (nil, .entries(let new)): return named(Set(new.keys))
    case (.entries(let old), .texts): return named(Set(old.keys)).union(keys.keys)
    case (_, .texts): return Set(keys.keys)
    case (.texts, .entries(let new)): return named(Set(new.keys)).union(keys.keys)
    }
  }

  private func differences(
    _ old: [String: PropertyListValue], _ new: [String: PropertyListValue]
  ) -> Set<String> {
    var names = Set(new.filter { old[$0.key] != $0.value }.keys)
    for name in old.keys where new[name] == nil { names.insert(name) }
    return names
  }

  /// The names, and the current names of settings that had them before.
  private func named(_ names: Set<String>) -> Set<String> {
    names.union(names.flatMap { presentNames[$0] ?? [] })
  }
}
