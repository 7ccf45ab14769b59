import Defaults
import DefaultsText

extension Defaults {
  /// An entry of a layer that no key declares.
  package struct UnknownEntry: Sendable {
    /// The name, and the declared name that was probably meant.
    package let name: UnknownName
    /// The place of the entry: the path of its file, with the line if it is text, or the layer's
    /// label.
    package let place: String
    /// Whether ``Suite/validate(_:)-([Defaults.AnyKey])`` throws because of the entry.
    package let preventsStart: Bool
  }

  /// A problem of a whole layer.
  package struct LayerProblem: Sendable {
    package let layer: String
    /// The path of its file, or the layer's label.
    package let place: String
    package let error: SuiteError
  }
}

extension Defaults.Suite {
  /// The layers that couldn't be loaded, and the texts that several keys share, by precedence.
  package func layerProblems(declaring keys: [Defaults.AnyKey]) -> [Defaults.LayerProblem] {
    for key in keys { key.introduce(to: self) }
    guard let layers else { return [] }
    let stack = layers.rule
    let names = Set(keys.map(\.name))
    return stack.levels.flatMap { level in
      let ofProfile = level.profile?.problem { layers.base.entry(named: $0) }
      let problems =
        level.problems + [ofProfile].compactMap(\.self) + stack.conflicts(of: names, in: level)
      return problems.map { problem in
        Defaults.LayerProblem(
          layer: level.part.name, place: problem.path ?? problem.suite ?? level.label,
          error: problem)
      }
    } + layers.base.layerProblems(declaring: keys)
  }

  /// The entries that none of the keys declares, by the precedence of their layers, then by name,
  /// except in layers that allow unknown names. Without layers, the suite's own entries are
  /// searched.
  package func unknownEntries(declaring keys: [Defaults.AnyKey]) -> [Defaults.UnknownEntry] {
    guard let layers else { return unknownOwnEntries(declaring: keys) }
    let declared = Defaults.DeclaredNames(keys)
    let stack = layers.rule
    return stack.levels.flatMap { level -> [Defaults.UnknownEntry] in
      if level.isWritable { return layers.base.unknownEntries(declaring: keys) }
      return stack.unknownNames(in: level, declaring: declared).map { unknown in
        let (place, nearest) = unknown.details()
        return Defaults.UnknownEntry(
          name: Defaults.UnknownName(name: unknown.name, nearest: nearest),
          place: place ?? level.label, preventsStart: unknown.preventsStart)
      }
    }
  }

  private func unknownOwnEntries(declaring keys: [Defaults.AnyKey]) -> [Defaults.UnknownEntry] {
    let unknown = unknownNames(declaring: keys)
    guard !unknown.isEmpty else { return [] }
    let path = stored?.filePath
    let file = path.flatMap { try? StoredFile(path: $0).read() }
    let lines = file.map { Defaults.linesOfNames(in: $0.data) } ?? [:]
    return unknown.map { name in
      let place = path ?? label
      let line = lines[name.name].map { WrittenFile.place(place, line: $0) }
      return Defaults.UnknownEntry(name: name, place: line ?? place, preventsStart: false)
    }
  }

  /// Tells a suite of layers that these are the keys of all settings. From now on, other names in
  /// the files and variables of its layers are issues. Does nothing for a suite without layers.
  ///
  /// - Throws: `locked`.
  package func declareAll(_ keys: [Defaults.AnyKey]) throws(Defaults.SuiteError) {
    guard let layers else { return }
    for key in keys { key.introduce(to: self) }
    try layers.change(layer: "") { stack in
      stack.complete()
      return []
    }
    layers.deliverExternal()
    try layers.base.declareAll(keys)
  }
}

// MARK: - Finding

/// A name in a source that no setting has.
struct UnknownWrittenName: Sendable {
  let name: String
  /// The path of the file; nil for a source without files.
  let path: String?
  /// Whether the suite reports the name as an issue: it is in a file, or is a variable.
  let isIssue: Bool
  /// Whether the program must not start with the name. Other programs may read the same variables.
  var preventsStart: Bool { path != nil }
  /// Returns the place, and the name that was probably meant. Takes longer than finding the name.
  let details: @Sendable () -> (place: String?, nearest: String?)
  /// The prefix of the layer with which a setting would read this variable; nil if there is none.
  var betterPrefix: String?

  var error: Defaults.SuiteError {
    let (place, nearest) = details()
    let reason =
      if let betterPrefix {
        "No setting reads this variable. Write the prefix of the layer as \"\(betterPrefix)\""
      } else {
        "No setting has this name" + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
      }
    return Defaults.SuiteError(.unknownName, reason, suite: place ?? path, key: name)
  }
}

/// The names in the files of a source of texts, or its variables.
struct WrittenTexts: Sendable {
  struct Name: Sendable {
    let name: String
    /// The path of the file; nil for a variable of the environment.
    let path: String?
    let place: String
  }

  let all: [Name]
  /// The beginning of all names.
  var prefix = ""
  /// Whether the names are those of the environment's variables.
  var areVariables = false
  /// The name in the files for the name of a setting.
  let spelling: @Sendable (String) -> String?

  var names: [String] { all.map(\.name) }

  func unknownNames(declaring declared: Defaults.DeclaredNames) -> [UnknownWrittenName] {
    if areVariables, !prefix.hasSuffix("_") { return namesWithUnderscore(declaring: declared) }
    let known = Set(declared.all.compactMap(spelling))
    return all.filter { !known.contains($0.name) }.map { written in
      UnknownWrittenName(name: written.name, path: written.path, isIssue: true) {
        (written.place, nearest(to: written.name, among: declared.current))
      }
    }
  }

  /// The variables that settings would read if the prefix ended with an underscore. All others may
  /// belong to other programs: `APP` is also the beginning of `APPDATA`.
  private func namesWithUnderscore(
    declaring declared: Defaults.DeclaredNames
  ) -> [UnknownWrittenName] {
    let better = prefix + "_"
    let spellings = Dictionary(
      declared.all.compactMap(spelling).map { (better + $0.dropFirst(prefix.count), $0) }
    ) { first, _ in first }
    let names = Set(names)
    return all.compactMap { written in
      guard let spelling = spellings[written.name], !names.contains(spelling) else { return nil }
      return UnknownWrittenName(
        name: written.name, path: nil, isIssue: true, details: { (written.place, spelling) },
        betterPrefix: better)
    }
  }

  /// The most similar name. The prefix isn't compared: it would make different names similar.
  private func nearest(to name: String, among declared: Set<String>) -> String? {
    let names = declared.compactMap(spelling).map { String($0.dropFirst(prefix.count)) }
    return NearestName.of(String(name.dropFirst(prefix.count)), in: names).map { prefix + $0 }
  }
}

extension LayerStack {
  /// The names in a level, except one that allows unknown names, that no declared setting has or
  /// had, sorted within each file. A variable that begins with the longer prefix of another level
  /// belongs to that level.
  func unknownNames(
    in level: Level, declaring declared: Defaults.DeclaredNames
  ) -> [UnknownWrittenName] {
    guard let content = level.content, !level.part.allowsUnknown else { return [] }
    let names = content.unknownNames(declaring: declared)
    guard let texts = content.texts, texts.areVariables else { return names }
    let prefixes = levels.compactMap(\.content?.texts).filter(\.areVariables).map(\.prefix)
    let longer = prefixes.filter { $0.count > texts.prefix.count && $0.hasPrefix(texts.prefix) }
    return names.filter { name in !longer.contains { name.name.hasPrefix($0) } }
  }
}

extension Defaults.LayerContent {
  /// The names that no declared setting has or had, sorted within each file.
  fileprivate func unknownNames(
    declaring declared: Defaults.DeclaredNames
  ) -> [UnknownWrittenName] {
    switch kind {
    case .texts: return texts?.unknownNames(declaring: declared) ?? []
    case .entries(let all): return all.flatMap { $0.unknownNames(declaring: declared) }
    }
  }
}

extension WrittenEntries {
  fileprivate func unknownNames(
    declaring declared: Defaults.DeclaredNames
  ) -> [UnknownWrittenName] {
    var names: Set<String> = []
    if file == nil {
      names = Set(entries.keys.filter { !declared.contains($0) && !Defaults.isReserved($0) })
    } else {
      declared.forEachEntry(of: entries) { name, _ in
        if !declared.contains(name), !Defaults.isReserved(name) { names.insert(name) }
      }
    }
    return names.sorted().map { [file] name in
      UnknownWrittenName(name: name, path: file?.path, isIssue: file != nil) {
        (file?.place(of: name), NearestName.of(name, in: declared.current))
      }
    }
  }
}

/// The issues about the names in a layer's files, and about variables, that no setting has: one for
/// each name and file, as long as the file has the name.
final class UnknownReport: Sendable {
  private struct Place: Hashable {
    let path: String?
    let name: String
  }

  private struct Found {
    var places: Set<Place> = []
    var new: [Defaults.SuiteError] = []
  }

  /// A file with more unknown names is probably no settings file.
  static let most = 100

  let isEmpty: Bool
  private let found: Lazily<Found>

  init(_ names: [UnknownWrittenName], after old: UnknownReport?) {
    isEmpty = names.isEmpty
    found = Lazily { [old = old?.found] in
      let old = old?.value.places ?? []
      var found = Found()
      for name in names.prefix(Self.most) {
        let place = Place(path: name.path, name: name.name)
        found.places.insert(place)
        // The issue about a name in a file changes with its line, that about a variable never.
        if name.path == nil || !old.contains(place) { found.new.append(name.error) }
      }
      return found
    }
  }

  /// The issues about names in files that the previous report didn't have, and about all variables.
  var errors: [Defaults.SuiteError] { found.value.new }
}
