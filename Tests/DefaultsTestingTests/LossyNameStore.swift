import Defaults
import Foundation
import TestSupport

/// A store that changes some names, as a store does that has a file or a line for each entry.
final class LossyNameStore: Defaults.Store {
  enum Fault: CaseIterable {
    case ignoresCase
    case endsAtSlash
    case endsAtEqualsSign
    case endsAtLineBreak
    case endsAtNUL
    case splitsAtDot
    case decodesPercents
    case omitsOuterSpace
    case isShort

    func storedName(of name: String) -> String {
      switch self {
      case .ignoresCase: name.lowercased()
      case .endsAtSlash: beginning(of: name, before: "/")
      case .endsAtEqualsSign: beginning(of: name, before: "=")
      case .endsAtLineBreak: beginning(of: name, before: "\n")
      case .endsAtNUL: beginning(of: name, before: "\0")
      case .splitsAtDot: beginning(of: name, before: ".")
      case .decodesPercents: name.removingPercentEncoding ?? name
      case .omitsOuterSpace: name.trimmingCharacters(in: .whitespaces)
      case .isShort: String(name.prefix(255))
      }
    }

    private func beginning(of name: String, before separator: Unicode.Scalar) -> String {
      String(name.unicodeScalars.prefix { $0 != separator })
    }
  }

  let label = "lossy names"
  private let fault: Fault
  private let isStrict: Bool
  private let rows = RowStore()

  /// Creates an empty store, which rejects the names that it would change if `isStrict` is true.
  init(_ fault: Fault, isStrict: Bool) {
    self.fault = fault
    self.isStrict = isStrict
  }

  func load() -> [String: Defaults.PropertyListValue] { rows.load() }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
    let pairs = entries.map { (fault.storedName(of: $0.key), $0.value) }
    let renamed = Dictionary(pairs) { _, last in last }
    try rows.save(renamed, changed: Set(renamed.keys))
  }

  func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    guard isStrict, fault.storedName(of: name) != name else { return }
    throw Defaults.SuiteError(.unrepresentable, "The name can't be stored", key: name)
  }
}
