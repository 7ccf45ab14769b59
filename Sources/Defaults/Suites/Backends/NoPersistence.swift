/// The persistence of entries that are lost when the process ends.
final class NoPersistence: Persistence {
  private let table: EntryTable
  /// The reason why a suite that should have a file has none.
  private let obstacle: SuiteError?

  init(_ table: EntryTable, _ obstacle: SuiteError?) {
    self.table = table
    self.obstacle = obstacle
  }

  var health: Defaults.Health { .inMemory }

  func validate(_ value: PropertyListValue, named name: String) {}

  func commit(
    _ commitment: Commitment, within timeout: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try table.withWriter { () throws(SuiteError) in table.commit(try body().changes) }
  }

  func refresh() {}

  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    if let obstacle { throw obstacle }
  }

  func close() {}
}
