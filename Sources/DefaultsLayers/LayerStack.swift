import Defaults
import DefaultsText

/// The layers of a suite, and what they say together.
struct LayerStack: Derivation {
  /// A layer, and what it gives.
  struct Level: Sendable {
    let part: Defaults.Layer.Part
    /// nil before it was loaded, and for the writable layer.
    var content: Defaults.LayerContent?
    /// Why the layer couldn't be loaded last.
    var problem: Defaults.SuiteError?

    init(_ part: Defaults.Layer.Part) { self.part = part }

    var isWritable: Bool { if case .writable = part.content { true } else { false } }

    /// What the layer is called in issues.
    var label: String { part.label }
  }

  /// What a layer says of a setting.
  struct Saying {
    /// What it gives, whether that is allowed or not.
    var entry: PropertyListValue?
    /// The text that stands for it.
    var text: String?
    /// Where it stands.
    var place: String?
    /// Why it doesn't count.
    var problem: Defaults.SuiteError?

    var isValid: Bool { entry != nil && problem == nil }
  }

  typealias Base = (String) -> PropertyListValue?

  private(set) var levels: [Level]
  /// The keys that are known, each in no suite: a suite that held its keys would never go.
  private var keys: [String: Defaults.AnyKey] = [:]
  /// The present names of settings, by their previous ones.
  private var presentNames: [String: Set<String>] = [:]

  /// What looks at the sources of the layers anew.
  private var loaded: [LoadedSource] = []

  init(_ levels: [Level]) { self.levels = levels }

  /// A suite without layers, and one of its keys.
  init(plain suite: any Defaults.Suite, _ key: Defaults.AnyKey) {
    levels = [Level(Defaults.Layer.Part(name: "user", content: .writable(suite.stored)))]
    keys = [key.name: key]
  }

  /// Keeps the sources of the layers for as long as the suite is there.
  mutating func keep(_ sources: [LoadedSource]) { loaded = sources }

  var sources: [Defaults.StoredSuite] { loaded.compactMap(\.suite) }

  var resolvesPreviousNames: Bool { true }

  func reload() { for source in loaded where source.suite != nil { source.load() } }

  func refresh() { for source in loaded { source.refresh() } }
}

// MARK: - What counts

extension LayerStack {
  func entry(named name: String, base: Base) -> PropertyListValue? {
    let key = keys[name]
    var unreadable: PropertyListValue?
    for level in levels {
      guard let (entry, isValid) = entry(by: level, for: name, key, base: base) else { continue }
      if isValid { return entry }
      // It stays in sight: a read says what is wrong with it, and gives the default.
      if level.isWritable { unreadable = entry }
    }
    return unreadable
  }

  /// The layer that gives the entry of a name; nil if none does.
  func strongest(for name: String, base: Base) -> Int? {
    let key = keys[name]
    return levels.firstIndex { entry(by: $0, for: name, key, base: base)?.isValid == true }
  }

  /// What a layer has under a name.
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

  /// The entry that a layer gives, and whether it is allowed; without the words of `saying`, which
  /// take longer than all else that a set does.
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

  /// What a layer says of a setting.
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

  /// The entry of a name, or that of an earlier name of the setting.
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
    if levels.count > 1 { error.reason += "; the next layer counts" }
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

  /// The texts of a layer that several settings take, as where two names make one variable.
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
      "The setting is prescribed by \(levels[index].label), and can't be changed here",
      key: name)
  }

  mutating func addKey(_ key: any DeclaredKey) -> Set<String>? {
    guard let key = key as? Defaults.AnyKey, keys[key.name] == nil else { return nil }
    keys[key.name] = key.detached
    for name in key.allNames.dropFirst() { presentNames[name, default: []].insert(key.name) }
    return Set(key.allNames)
  }

  /// Puts new content in place, or why there is none; returns the names that differ.
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

  /// The names, and the present ones of settings that had them before.
  private func named(_ names: Set<String>) -> Set<String> {
    names.union(names.flatMap { presentNames[$0] ?? [] })
  }
}
