import Synchronization

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
    OriginScope.wasUsed.store(true, ordering: .relaxed)
    return try OriginScope.$origin.during(origin, body)
  }

  /// Runs an asynchronous closure whose changes carry a mark; see the synchronous form.
  public static func withOrigin<Value, Failure: Error>(
    _ origin: Origin, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    OriginScope.wasUsed.store(true, ordering: .relaxed)
    return try await OriginScope.$origin.during(origin, isolation: isolation, body)
  }
}

/// The mark of what a task writes.
enum OriginScope {
  @TaskLocal fileprivate static var origin: Defaults.Origin?
  fileprivate static let wasUsed = Atomic(false)

  /// The mark here and now; costs a load in a process that never sets one.
  static var current: Defaults.Origin? {
    wasUsed.load(ordering: .relaxed) ? origin : nil
  }

  /// Runs handlers, whose changes aren't those of the writer on whose thread they run.
  static func leave(_ body: () -> Void) {
    if current == nil { body() } else { $origin.withValue(nil, operation: body) }
  }
}
