/// The persistence of entries that end with the process.
final class NoPersistence: Persistence {
  private let table: EntryTable
  /// Why there is no file, where there should be one.
  private let obstacle: SuiteError?

  init(_ table: EntryTable, _ obstacle: SuiteError?) {
    self.table = table
    self.obstacle = obstacle
  }

  var health: Defaults.Health { .inMemory }

  func validate(_ value: PropertyListValue, named name: String) {}

  func commit(
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try table.withWriter { () throws(SuiteError) in table.commit(try body().changes) }
  }

  /// No other process commits to the table.
  func applyNews() -> Bool { true }

  func refresh() {}

  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    if let obstacle { throw obstacle }
  }

  func close() {}
}
