/// A rule that derives the entries of a suite from the entries of another suite, its base, and from
/// other sources.
///
/// Its functions are called under no lock but the writer lock, unless noted, since decoding may run
/// any code.
package protocol Derivation: Sendable {
  /// Returns all names with an entry, given the names of the base.
  func names(with base: Set<String>) -> Set<String>

  /// Returns the names whose entries may change with the entry of a name in the base, given all
  /// names of the base.
  func names(dependingOn name: String, among base: () -> Set<String>) -> [String]

  /// Returns the entry of a name, given the entries of the base.
  func entry(named name: String, base: (String) -> PropertyListValue?) -> PropertyListValue?

  /// Returns the entry of a name for a transaction.
  func entryOfDraft(named name: String, base: (String) -> PropertyListValue?) -> PropertyListValue?

  /// Returns the problems of some names in the sources, and of entries of the base that aren't used
  /// because of a problem.
  func problems(
    of names: Set<String>, base: (String) -> PropertyListValue?
  ) -> [SuiteError]

  /// Returns the problems that prevent a start with these keys, except missing settings, given the
  /// entries of the base.
  func problems(
    declaring keys: [any DeclaredKey], base: (String) -> PropertyListValue?
  ) -> [SuiteError]

  /// The places where a setting can be set, for a message.
  var placesForSetting: [String] { get }

  /// Reads all sources that may have changed.
  func refresh()

  /// The suites apart from the base that the entries are derived from.
  var sources: [Defaults.StoredSuite] { get }

  /// Reads the current entries of these suites.
  func reload()

  /// Returns the prefix of the names under which the base stores set entries, given the entries of
  /// the base.
  func storedPrefix(base: (String) -> PropertyListValue?) -> String

  /// Throws if the entry of a name must not be set.
  func checkWritable(_ name: String) throws(SuiteError)

  /// Whether an entry under a previous name of a key is derived under its current name.
  var resolvesPreviousNames: Bool { get }

  /// Adds a key, and returns the affected names; nil if it was known. Called under a lock.
  mutating func addKey(_ key: any DeclaredKey) -> Set<String>?

  /// All keys are known from now on. Called under a lock.
  mutating func complete()
}
