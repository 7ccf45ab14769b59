import Foundation

/// The values in `UserDefaults` that are a program's own.
struct UserDefaultsSource {
  enum Found {
    case value(PropertyListValue)
    case skipped(Defaults.ImportReport.Reason)
  }

  let userDefaults: UserDefaults
  /// nil for everything that the object finds.
  let domain: String?

  /// Returns the values under some names, or under all.
  func found(_ names: Set<String>?) -> [String: Found] {
    let stored = domain.map { Self.byName(userDefaults.persistentDomain(forName: $0) ?? [:]) }
    let shared = stored == nil ? sharedEntries() : [:]
    var found: [String: Found] = [:]
    for name in names ?? stored.map({ Set($0.keys) }) ?? userDefaults.entryNames {
      do throws(ConversionError) {
        guard let value = try entry(named: name, in: stored) else { continue }
        found[name] = shared[name] == value ? .skipped(.notStoredThere) : .value(value)
      } catch {
        found[name] = .skipped(
          .unusable(
            SuiteError(
              .undecodable, "The object in UserDefaults isn't a property list: \(error)", key: name,
              underlying: error)))
      }
    }
    return found
  }

  private func entry(
    named name: String, in stored: [String: Any]?
  ) throws(ConversionError) -> PropertyListValue? {
    guard let stored else { return try userDefaults.entry(named: name) }
    return try stored[name].map { object throws(ConversionError) in
      try UserDefaults.entry(of: object)
    }
  }

  /// Returns the values of arguments, registered defaults and the settings of all programs. On
  /// Linux, registered defaults aren't among them.
  private func sharedEntries() -> [String: PropertyListValue] {
    userDefaults.sharedDomains.reduce(into: [:]) { shared, domain in
      let entries = Self.byName(domain).compactMapValues { try? UserDefaults.entry(of: $0) }
      shared.merge(entries) { $1 }
    }
  }

  /// Returns the objects of a domain by the names of their entries.
  private static func byName(_ domain: [String: Any]) -> [String: Any] {
    Dictionary(domain.map { (UserDefaults.name(of: $0.key), $0.value) }) { $1 }
  }
}

// MARK: - Values of keys

/// A key whose type of value isn't known to the caller.
protocol KeyOfForeignEntries {
  func edit(
    forForeign entry: PropertyListValue, in suite: any Defaults.Suite
  ) throws(SuiteError) -> Edit
}

extension Defaults.Key: KeyOfForeignEntries {
  /// Returns the edit that stores another library's entry in the form of the key; throws if the
  /// entry isn't a value of its type in any form that those libraries wrote.
  func edit(
    forForeign entry: PropertyListValue, in suite: any Defaults.Suite
  ) throws(SuiteError) -> Edit {
    do throws(SuiteError) {
      return try editDecoding(entry, in: suite)
    } catch {
      // The error about the entry itself says more than an error about its possible meaning.
      guard let meant = entry.meantByUserDefaults, let edit = try? editDecoding(meant, in: suite)
      else { throw error }
      return edit
    }
  }

  private func editDecoding(
    _ entry: PropertyListValue, in suite: any Defaults.Suite
  ) throws(SuiteError) -> Edit {
    let value = try? OlderForms.value(ofEntry: entry) {
      () throws(ConversionError) in
      try coding.value(ofEntry: entry) { valueForFilling(in: suite) }
    }
    // Decoding and encoding converts the entry to the key's form: an integer 1 becomes true.
    guard let value else { return try edit(for: decode(entry, in: suite), in: suite) }
    return try edit(for: value, in: suite)
  }
}

extension Defaults.PropertyListValue {
  /// The value that `integer(forKey:)` and similar methods would return: `defaults write` stores
  /// numbers as text by default.
  fileprivate var meantByUserDefaults: Self? {
    switch self {
    case .bool(let value): return .integer(value ? 1 : 0)
    case .string(let original):
      let text = original.withoutOuterSpace
      switch text.lowercased() {
      case "true", "yes": return true
      case "false", "no": return false
      default:
        if let integer = Int64(digits: text) { return .integer(integer) }
        return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
      }
    default: return nil
    }
  }
}
