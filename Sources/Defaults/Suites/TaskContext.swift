import Synchronization

/// All that a task inherits from the one that started it, in one task-local value.
///
/// Child tasks and `Task { }` inherit the context; `Task.detached`, threads and queues don't.
struct TaskContext: Sendable {
  @TaskLocal private static var innermost: TaskContext?

  /// The scope whose suite stands in for the program's, if any; its type is on a higher floor.
  var scope: (any AnyObject & Sendable)?
  /// The call of `withoutPropagation` that silences changes, as long as it is open.
  var silence: SilentScope?
  /// The mark of the writer.
  var origin: Defaults.Origin?
  /// The transaction in which the task, or the one that it inherited from, was running.
  var transaction: TransactionScope?

  /// The context here and now; costs about 10 ns.
  static var current: TaskContext { innermost ?? TaskContext() }

  /// Runs a closure in the present context but for a change of it.
  static func changing<Value, Failure: Error>(
    _ change: (inout TaskContext) -> Void, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var context = current
    change(&context)
    // `withValue` itself doesn't know what the body throws.
    let outcome = $innermost.withValue(context) { Result { () throws(Failure) in try body() } }
    return try outcome.get()
  }

  /// Runs an asynchronous closure in the present context but for a change of it.
  static func changing<Value, Failure: Error>(
    _ change: (inout TaskContext) -> Void, isolation: isolated (any Actor)?,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    var context = current
    change(&context)
    let outcome: Result<Value, Failure> = await $innermost.withValue(context) {
      do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
    return try outcome.get()
  }

  /// Runs a handler in the scope in which it began to observe. The silence and the mark of the
  /// writer on whose thread it runs don't count for what the handler writes.
  static func handling(in scope: (any AnyObject & Sendable)?, _ body: () -> Void) {
    guard let outer = innermost else {
      guard scope != nil else { return body() }
      return $innermost.withValue(TaskContext(scope: scope), operation: body)
    }
    $innermost.withValue(TaskContext(scope: scope, transaction: outer.transaction), operation: body)
  }
}

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

extension Defaults {
  /// Runs a closure whose changes reach no observer.
  ///
  /// Silenced are the changes made while the closure runs, on its thread and in tasks started
  /// inside it: no `observe`, no `updates`, no notification. They are stored and saved like any
  /// other. A task that outlives the closure is heard again as soon as the closure has ended, and
  /// so is everybody else all along.
  ///
  /// ```swift
  /// let observation = Defaults.observe(keys: .celsius, .fahrenheit) {
  ///   Defaults.withoutPropagation { Defaults[.lastEdit] = Date() }
  /// }
  /// ```
  public static func withoutPropagation<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let scope = SilentScope()
    defer { scope.end() }
    return try TaskContext.changing({ $0.silence = scope }, body)
  }

  /// Runs an asynchronous closure whose changes reach no observer; see the synchronous form.
  public static func withoutPropagation<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let scope = SilentScope()
    defer { scope.end() }
    return try await TaskContext.changing({ $0.silence = scope }, isolation: isolation, body)
  }
}

/// One call of `withoutPropagation`: an object, so that a task that inherited it sees its end.
final class SilentScope: Sendable {
  private let hasEnded = Atomic(false)
  /// A scope inside another is silent as long as either is open.
  private let outer = TaskContext.current.silence

  var isOpen: Bool { !hasEnded.load(ordering: .acquiring) || (outer?.isOpen ?? false) }

  func end() { hasEnded.store(true, ordering: .releasing) }
}
