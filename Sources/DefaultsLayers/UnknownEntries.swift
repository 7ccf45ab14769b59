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
      let problems = [level.problem].compactMap(\.self) + stack.conflicts(of: names, in: level)
      return problems.map { problem in
        Defaults.LayerProblem(
          layer: level.part.name, place: problem.path ?? problem.suite ?? level.label,
          error: problem)
      }
    } + layers.base.layerProblems(declaring: keys)
  }

  /// The entries that none of the keys declares, by the precedence of their layers, then by name. A
  /// suite without layers has only its own.
  package func unknownEntries(declaring keys: [Defaults.AnyKey]) -> [Defaults.UnknownEntry] {
    guard let layers else {
      return unknown(names, declaring: keys, label: label, path: stored?.filePath)
    }
    return layers.rule.levels.flatMap { level -> [Defaults.UnknownEntry] in
      switch (level.part.content, level.content?.kind) {
      case (.writable, _): return layers.base.unknownEntries(declaring: keys)
      case (.source(let source), .entries(let entries)):
        let path = (source as? Defaults.FileSource)?.label
        return unknown(Set(entries.keys), declaring: keys, label: level.label, path: path)
      case (.source, _): return []
      }
    }
  }

  private func unknown(
    _ names: Set<String>, declaring keys: [Defaults.AnyKey], label: String, path: String?
  ) -> [Defaults.UnknownEntry] {
    let unknown = Defaults.UnknownName.all(in: names, declaring: keys)
    guard !unknown.isEmpty else { return [] }
    let lines = path.flatMap { try? StoredFile(path: $0).linesOfNames } ?? [:]
    return unknown.map { name in
      let line = lines[name.name].map { ", line \($0)" } ?? ""
      return Defaults.UnknownEntry(name: name, place: (path ?? label) + line)
    }
  }
}
