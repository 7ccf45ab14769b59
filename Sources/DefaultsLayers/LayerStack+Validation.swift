import Defaults
import DefaultsText

// The problems that stop a program that starts with `validate`.

extension LayerStack {
  func problems(
    declaring keys: [any DeclaredKey], base: (String) -> PropertyListValue?
  ) -> [Defaults.SuiteError] {
    let keys = keys.compactMap { $0 as? Defaults.AnyKey }
    let names = Set(keys.map(\.name))
    let declared = Defaults.DeclaredNames(keys)
    return levels.flatMap { level -> [Defaults.SuiteError] in
      let ofEntries = keys.compactMap { saying(of: level, on: $0.name, base: base).problem }
      let ofProfile = level.profile?.problem(in: base).map { [$0] } ?? []
      let unknown = unknownNames(in: level, declaring: declared).filter(\.isIssue)
        .prefix(UnknownReport.most)
      for name in unknown where !name.preventsStart { report(name.error) }
      return level.problems + ofProfile + unknown.filter(\.preventsStart).map(\.error)
        + conflicts(of: names, in: level) + ofEntries
    }
  }

  var placesForSetting: [String] { levels.map(\.label) }
}
