extension Defaults {
  /// A writer's mark, which travels with its changes: see ``withOrigin(_:_:)``.
  public struct Origin: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text of the mark.
    public let rawValue: String

    /// A mark of this text; equal texts are the same mark.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A mark of this text.
    public init(stringLiteral text: String) { self.init(rawValue: text) }
  }

  /// Runs a closure whose changes carry a mark, so that a writer that observes can tell its own.
  ///
  /// ```swift
  /// let observation = Defaults.observe(.theme) { change in
  ///   if change.origin != "sync" { upload(change.newValue) }
  /// }
  /// Defaults.withOrigin("sync") { Defaults[.theme] = downloaded }
  /// ```
  ///
  /// Marked are the changes made while the closure runs, on its task and in tasks that are started
  /// inside it; the innermost mark counts. A handler writes without its trigger's mark: what it
  /// does is its own. The mark isn't stored, and doesn't reach other processes: they see
  /// ``Change/Source/external``, since a file that any program may write can't vouch for a writer.
  public static func withOrigin<Value, Failure: Error>(
    _ origin: Origin, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try TaskContext.changing({ $0.origin = origin }, body)
  }

  /// Runs an asynchronous closure whose changes carry a mark; see the synchronous form.
  public static func withOrigin<Value, Failure: Error>(
    _ origin: Origin, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await TaskContext.changing({ $0.origin = origin }, isolation: isolation, body)
  }
}
