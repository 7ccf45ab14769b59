/// The additional functions of a persistence with derived entries.
package protocol DerivedPersistence: Persistence {
  var base: Defaults.StoredSuite { get }

  // As in ``Derivation``, with the entries of the base:
  var sources: [Defaults.StoredSuite] { get }
  var resolvesPreviousNames: Bool { get }
  var storedPrefix: String { get }
  var placesForSetting: [String] { get }
  func problems(declaring keys: [any DeclaredKey]) -> [SuiteError]
  func reload()

  /// Returns the derivation for a transaction that begins now.
  func freeze() -> any DerivedSnapshot
}

/// The derived entries of a suite as a transaction's draft sees them: from the base and the rule at
/// one instant.
package protocol DerivedSnapshot: Sendable {
  /// Returns the names of all entries after the draft's edits of the base.
  func names(in draft: Defaults.Draft) -> Set<String>

  /// Returns the entry of a name after the draft's edits of the base. If the draft has no snapshot,
  /// the base has its current entries.
  func entry(named name: String, in draft: Defaults.Draft) -> PropertyListValue?

  /// Returns the prefix of the names under which the base stores set entries.
  func storedPrefix(in draft: Defaults.Draft) -> String

  /// Whether the layers are unchanged.
  var isCurrent: Bool { get }
}
