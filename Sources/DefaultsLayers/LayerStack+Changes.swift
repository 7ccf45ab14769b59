import Defaults
import DefaultsText

extension LayerStack {
  func names(with base: Set<String>) -> Set<String> {
    var names = (hasProfile ? settingNames(in: base) : base).union(keys.keys)
    for written in levels.flatMap(\.written) { names.formUnion(written.names) }
    return names
  }

  func names(dependingOn name: String, among base: () -> Set<String>) -> [String] {
    var names = [name]
    if hasProfile {
      names = Array(settingNames(in: names))
      // Choosing, creating or deleting a profile may change every setting that a profile has.
      if names.isEmpty { names = Array(settingNames(in: base())) }
    }
    return names + names.flatMap { presentNames[$0] ?? [] }
  }

  func problems(of names: Set<String>, base: Base) -> [Defaults.SuiteError] {
    var problems = levels.flatMap { $0.problems + ($0.unknown?.errors ?? []) }
    for level in levels {
      for name in names where keys[name] != nil {
        guard let problem = saying(of: level, on: name, base: base).problem else { continue }
        // A read reports a stored entry that is invalid if there is no other one to use.
        if level.isStored, strongest(for: name, base: base) == nil { continue }
        problems.append(issue(of: problem))
      }
      problems += conflicts(of: names, in: level)
    }
    return problems
  }

  /// The texts that several settings share, such as those of an ambiguous environment variable, and
  /// the settings that a file has several times.
  func conflicts(of names: Set<String>, in level: Level) -> [Defaults.SuiteError] {
    let keys = names.sorted().compactMap { self.keys[$0] }
    switch level.content?.kind {
    case .texts(let text):
      let texts = keys.compactMap { key in text(key).map { (name: key.name, place: $0.place) } }
      let names = level.namesByPlace.withLock { names in
        for (name, place) in texts { names[place, default: []].insert(name) }
        return names
      }
      return texts.compactMap { name, place in
        names[place]?.first { $0 != name }.map { other in
          Defaults.SuiteError(
            .conflictingDeclarations,
            "\"\(name)\" and \"\(other)\" are both read from this place; rename one of them",
            suite: place, key: name)
        }
      }
    case .entries(let all):
      return all.compactMap { written in written.file.map { (written.entries, $0) } }
        .flatMap { entries, file in
          keys.compactMap { key in
            known.ambiguity(of: key.name, in: entries).map { reason in
              Defaults.SuiteError(
                .conflictingDeclarations, reason, suite: file.place(of: key.name), key: key.name)
            }
          }
        }
    case nil: return []
    }
  }

  func checkWritable(_ name: String) throws(Defaults.SuiteError) {
    // Also if a layer above the managed one overrides it now.
    let level = levels.first {
      $0.part.isManaged && entry(by: $0, for: name, keys[name], base: { _ in nil })?.isValid == true
    }
    guard let level else { return }
    throw Defaults.SuiteError(
      .managed, "The setting is managed by \(level.label) and can't be changed here", key: name)
  }

  mutating func addKey(_ key: any DeclaredKey) -> Set<String>? {
    guard var key = key as? Defaults.AnyKey else { return nil }
    if let earlier = keys[key.name] {
      // Declarations of a setting may have different previous names.
      let more = key.previousNames.filter { !earlier.previousNames.contains($0) }
      if more.isEmpty { return nil }
      key = earlier.detached(addingPreviousNames: more)
    } else {
      key = key.detached()
    }
    keys[key.name] = key
    known.insert(key)
    for name in key.previousNames { presentNames[name, default: []].insert(key.name) }
    // The key's name may be one of the unknown names.
    for index in levels.indices where levels[index].unknown?.isEmpty == false {
      reportUnknown(at: index)
    }
    if hasSecret(key) { addSecrets(Set(key.allNames)) }
    return Set(key.allNames).union(nestedNames(withNames: key.allNames))
  }

  /// Reports names in files and variables that no known key has, from now on.
  mutating func complete() {
    if isComplete { return }
    isComplete = true
    for index in levels.indices { reportUnknown(at: index) }
  }

  private mutating func reportUnknown(at index: Int) {
    let names = unknownNames(in: levels[index], declaring: known).filter(\.isIssue)
    levels[index].unknown = UnknownReport(names, after: levels[index].unknown)
  }

  /// Stores new content (nil: keeps the old one) and the problems. Returns the names that differ.
  mutating func put(
    _ content: Defaults.LayerContent?, _ problems: [Defaults.SuiteError], at index: Int
  ) -> Set<String> {
    levels[index].problems = problems
    guard let content else { return [] }
    let old = levels[index]
    levels[index].content = content
    if isComplete { reportUnknown(at: index) }
    let secrets =
      old.part.isSecret
      ? Set(content.texts?.names ?? []) : names(of: levels[index]).filter(isSecret)
    if !secrets.isEmpty { addSecrets(named(secrets)) }
    if case .texts = content.kind { return named(names(of: old)).union(keys.keys) }
    if case .texts? = old.content?.kind { return named(names(of: levels[index])).union(keys.keys) }
    return named(differences(from: old.written, to: levels[index].written))
  }

  private func names(of level: Level) -> Set<String> { Set(level.written.flatMap(\.names)) }

  private func differences(from old: [WrittenEntries], to new: [WrittenEntries]) -> Set<String> {
    guard old.map(\.file?.path) == new.map(\.file?.path) else {
      // A file was added or removed, so every name may have another entry.
      return Set((old + new).flatMap(\.names))
    }
    var names: Set<String> = []
    for (old, new) in zip(old, new) { names.formUnion(new.differences(from: old)) }
    return names
  }

  /// The names, the current names of settings with these previous names, and the names of members.
  private func named(_ names: Set<String>) -> Set<String> {
    let groups = names.filter(known.hasMembers)
    var names = names.union(names.flatMap { presentNames[$0] ?? [] })
    guard !groups.isEmpty else { return names }
    for key in keys.values where key.allNames.contains(where: { $0.isMember(of: groups) }) {
      names.insert(key.name)
    }
    return names
  }

  /// The names of nested entries that change if these become the names of a setting: the groups
  /// around the setting, and the members of its dictionary.
  private func nestedNames(withNames names: [String]) -> Set<String> {
    let written = levels.flatMap(\.written)
    func isNested(_ name: String) -> Bool { written.contains { $0.isNested(name) } }
    var nested = Set(names.flatMap(Defaults.DeclaredNames.groups).filter(isNested))
    let own = Set(
      names.filter { name in
        known.hasMembers(name)
          && ([name] + Defaults.DeclaredNames.groups(of: name)).contains(where: isNested)
      })
    guard !own.isEmpty else { return nested }
    for key in keys.values where key.allNames.contains(where: { $0.isMember(of: own) }) {
      nested.insert(key.name)
    }
    return nested
  }
}

extension LayerStack.Level {
  /// The entries of its content, by precedence; none for texts.
  var written: [WrittenEntries] {
    if case .entries(let all)? = content?.kind { all } else { [] }
  }
}

extension String {
  /// Whether the name begins with one of the groups and a dot.
  fileprivate func isMember(of groups: Set<String>) -> Bool {
    Defaults.DeclaredNames.groups(of: self).contains(where: groups.contains)
  }
}
