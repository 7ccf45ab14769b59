import Defaults

// The problems that stop a program that starts with `validate`.

extension LayerStack {
  func problems(
    declaring keys: [any DeclaredKey], base: (String) -> PropertyListValue?
  ) -> [Defaults.SuiteError] {
    let keys = keys.compactMap { $0 as? Defaults.AnyKey }
    let names = Set(keys.map(\.name))
    return levels.flatMap { level -> [Defaults.SuiteError] in
      let ofEntries = keys.compactMap { key -> Defaults.SuiteError? in
        guard var problem = saying(of: level, on: key.name, base: base).problem else { return nil }
        if problem.reason.hasSuffix(Self.consequence) {
          problem.reason.removeLast(Self.consequence.count)
        }
        return problem
      }
      return level.problems + unknownNames(in: level, declaring: keys)
        + conflicts(of: names, in: level) + ofEntries
    }
  }

  private func unknownNames(
    in level: Level, declaring keys: [Defaults.AnyKey]
  ) -> [Defaults.SuiteError] {
    guard let content = level.content, !level.part.allowsUnknown else { return [] }
    let names = content.unknownNames(declaring: Defaults.DeclaredNames(keys))
    return names.filter { $0.path != nil }.prefix(UnknownReport.most).map { $0.error }
  }

  var placesForSetting: [String] { levels.map(\.label) }
}
