import Defaults

/// Entries that are fixed when the program starts, or when the cluster was listed first: see
/// ``EtcdSuite/Options/stableUntilRestart``.
struct EntriesOfStart: Derivation {
  /// nil as long as nothing is known.
  private var fixed: [String: PropertyListValue]?

  /// A suite of the entries that a replica's suite has now, or after its first listing.
  static func suite(
    on base: Defaults.StoredSuite, _ replica: Replica, isFixed: Bool,
    _ support: Defaults.SuiteSupport
  ) throws(SuiteError) -> Defaults.StoredSuite {
    let rule = Self(fixed: isFixed ? base.entries : nil)
    let (suite, entries) = try DerivedEntries.suite(on: base, by: rule, support)
    guard !isFixed else { return suite }
    replica.afterListing { [weak base, weak entries] in
      guard let base, let entries else { return }
      // Nothing changes by it, and nobody waits.
      try? entries.change(layer: "") { rule in
        rule.fixed = base.entries
        return []
      }
    }
    return suite
  }

  func names(with base: Set<String>) -> Set<String> { fixed.map { Set($0.keys) } ?? base }

  func names(dependingOn name: String) -> [String] { fixed == nil ? [name] : [] }

  func entry(
    named name: String, base: (String) -> PropertyListValue?
  ) -> PropertyListValue? {
    if let fixed { fixed[name] } else { base(name) }
  }

  /// What is changed is changed in the cluster, so it is made on what that has.
  func entryOfDraft(
    named name: String, base: (String) -> PropertyListValue?
  ) -> PropertyListValue? {
    base(name)
  }

  func problems(of names: Set<String>) -> [SuiteError] { [] }

  func refresh() {}

  func checkWritable(_ name: String) {}

  func addKey(_ key: any DeclaredKey) -> Set<String>? { nil }
}
