import Foundation

extension Defaults {
  /// What `UserDefaults` has of a program's own.
  struct UserDefaultsSource {
    enum Found {
      case value(PropertyListValue)
      case unusable(SuiteError)
      /// It can be seen, and isn't stored.
      case foreign
    }

    let userDefaults: UserDefaults
    /// nil for whatever the object finds.
    let domain: String?

    /// What is there for the names that are selected; those that are listed and missing aren't in
    /// it.
    func found(_ selection: Selection) -> [String: Found] {
      if let domain {
        let stored = userDefaults.persistentDomain(forName: domain) ?? [:]
        return stored.filter { selection.contains($0.key) }.reduce(into: [:]) { found, pair in
          found[pair.key] = Self.found(pair.key) { () throws(PropertyListError) in
            try FoundationPropertyList.value(of: pair.value)
          }
        }
      }
      let shared = sharedEntries()
      let names = Set(userDefaults.dictionaryRepresentation().keys).union(selection.listed)
      var all: [String: Found] = [:]
      for name in names where selection.contains(name) {
        let found = Self.found(name) { () throws(PropertyListError) in
          try FoundationPropertyList.object(in: userDefaults, named: name)
        }
        if case .value(let value) = found, shared[name] == value {
          all[name] = .foreign
        } else {
          all[name] = found
        }
      }
      return all
    }

    /// What arguments, registered defaults and the settings of all programs say; on Linux there is
    /// no telling which defaults are registered.
    private func sharedEntries() -> [String: PropertyListValue] {
      var domains = [userDefaults.persistentDomain(forName: UserDefaults.globalDomain) ?? [:]]
      for name in [UserDefaults.registrationDomain, UserDefaults.argumentDomain] {
        domains.append(userDefaults.volatileDomain(forName: name))
      }
      return domains.reduce(into: [:]) { shared, domain in
        shared.merge(
          domain.compactMapValues { try? FoundationPropertyList.value(of: $0) }
        ) { $1 }
      }
    }

    private static func found(
      _ name: String, _ read: () throws(PropertyListError) -> PropertyListValue?
    ) -> Found? {
      do throws(PropertyListError) {
        return try read().map(Found.value)
      } catch {
        return .unusable(
          SuiteError(
            .undecodable, "The object in UserDefaults isn't a property list: \(error)", key: name,
            underlying: error))
      }
    }
  }
}
