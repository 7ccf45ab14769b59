extension Defaults.Draft {
  /// Gives an entry another name, and returns whether there was one.
  ///
  /// An entry that is there under the new name stays, and the old one goes.
  @discardableResult
  public mutating func renameEntry(
    _ old: String, to new: String
  ) throws(Defaults.SuiteError) -> Bool {
    guard old != new, let entry = entry(named: old) else { return false }
    if self.entry(named: new) == nil { try setEntry(entry, named: new) }
    removeEntry(named: old)
    return true
  }
}
