extension Defaults {
  /// A step that brings the entries of a suite from one version to the next.
  ///
  /// ```swift
  /// let steps: [Defaults.Migration] = [
  ///   .init(1) { draft in try draft.renameEntry("colour", to: "color") },
  ///   .init(2) { draft in
  ///     guard case .real(let volume) = draft.entry(named: "volume") else { return }
  ///     try draft.setEntry(.integer(Int64(volume * 100)), named: "volume")
  ///   },
  /// ]
  /// ```
  public struct Migration: Sendable {
    /// The version that the entries have after the step.
    public let version: Int
    let body: @Sendable (inout Draft) throws -> Void

    /// The step to a version, which is at least 1.
    ///
    /// The body finds the entries in the form of the version before, any of them missing: a setting
    /// that nobody changed isn't stored. It runs once per suite, while every other writer waits, so
    /// it should be quick, and reach for nothing but the draft. Keep old steps as they are; name
    /// entries by strings there, since keys are what they are today.
    public init(_ version: Int, _ body: @escaping @Sendable (inout Draft) throws -> Void) {
      guard version > 0 else { fatalError("the version of a migration must be 1 or more") }
      self.version = version
      self.body = body
    }
  }
}
