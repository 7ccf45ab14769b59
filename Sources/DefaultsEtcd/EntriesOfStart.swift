import Defaults

/// Entries that are fixed at the start of the program, or at the first listing of the cluster. See
/// ``EtcdSuite/Options/stableUntilRestart``.
struct EntriesOfStart: Derivation {
  /// nil as long as no entries are known.
  private var fixed: [String: PropertyListValue]?

  /// Creates a suite of the replica's current entries, or of the entries of its first listing.
  static func suite(
    on base: Defaults.StoredSuite, _ replica: Replica, isFixed: Bool,
    _ support: Defaults.SuiteSupport
  ) throws(SuiteError) -> Defaults.StoredSuite {
    let rule = Self(fixed: isFixed ? base.entries : nil)
    let (suite, entries) = try DerivedEntries.suite(on: base, by: rule, support)
    guard !isFixed else { return suite }
    replica.afterListing { [weak base, weak entries] in
      guard let base, let entries else { return }
      // No entry changes, so the call can't fail for an observer or a caller.
      try? entries.change(layer: "") { rule in
        rule.fixed = base.entries
        return []
      }
    }
    return suite
  }

  func names(with base: Set<String>) -> Set<String> { fixed.map { Set($0.keys) } ?? base }

  func names(dependingOn name: String, among base: () -> Set<String>) -> [String] {
    fixed == nil ? [name] : []
  }

  func entry(named name: String, base: (String) -> PropertyListValue?) -> PropertyListValue? {
    if let fixed { fixed[name] } else { base(name) }
  }

  /// Edits are made in the cluster, so they start from the cluster's entries.
  func entryOfDraft(
    named name: String, base: (String) -> PropertyListValue?
  ) -> PropertyListValue? {
    base(name)
  }

  func problems(
    of names: Set<String>, base: (String) -> PropertyListValue?
  ) -> [SuiteError] { [] }

  func problems(
    declaring keys: [any DeclaredKey], base: (String) -> PropertyListValue?
  ) -> [SuiteError] { [] }

  func storedPrefix(base: (String) -> PropertyListValue?) -> String { "" }
  func checkWritable(_ name: String) {}
  func addKey(_ key: any DeclaredKey) -> Set<String>? { nil }
  func complete() {}
  func refresh() {}
  func reload() {}

  var placesForSetting: [String] { [] }
  var sources: [Defaults.StoredSuite] { [] }
  var resolvesPreviousNames: Bool { false }
}
