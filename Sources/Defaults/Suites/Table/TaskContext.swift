import Synchronization

/// All that a task inherits from the one that started it, in one task-local value.
///
/// Child tasks and `Task { }` inherit the context; `Task.detached`, threads and queues don't.
struct TaskContext: Sendable {
  @TaskLocal private static var innermost: TaskContext?

  /// The scope whose suite stands in for the program's, if any; its type is in a higher layer.
  var scope: (any AnyObject & Sendable)?
  /// The calls of `withOrigin` and `withoutPropagation` around the task, the innermost last. Some
  /// may have ended since: a task can outlive the closure in which it was started.
  private var changeScopes: [ChangeScope] = []
  /// The transaction in which the task, or the one that it inherited from, was running.
  var transaction: TransactionScope?

  private init() {}

  private init(scope: (any AnyObject & Sendable)?, transaction: TransactionScope?) {
    self.scope = scope
    self.transaction = transaction
  }

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
      return $innermost.withValue(
        TaskContext(scope: scope, transaction: nil), operation: body)
    }
    $innermost.withValue(TaskContext(scope: scope, transaction: outer.transaction), operation: body)
  }
}

// MARK: - The scopes of changes

/// One call of `withOrigin` or `withoutPropagation`.
///
/// An object, so that a task that inherited the scope and outlives the closure sees the end.
private final class ChangeScope: Sendable {
  /// The mark of the scope's changes; nil if the scope silences them.
  let origin: String?
  private let hasEnded = Atomic(false)

  /// A scope that marks changes, or silences them where there is no mark.
  init(_ origin: String?) { self.origin = origin }

  var isOpen: Bool { !hasEnded.load(ordering: .acquiring) }

  func end() { hasEnded.store(true, ordering: .releasing) }
}

extension TaskContext {
  /// Whether a change that is committed here and now reaches no observer.
  var isSilent: Bool { changeScopes.contains { $0.origin == nil && $0.isOpen } }

  /// The mark of a change that is committed here and now.
  var origin: String? { changeScopes.last { $0.origin != nil && $0.isOpen }?.origin }

  /// Enters a scope. Those that have ended are left out, so that a task that starts the next one
  /// inside of its own scope, and so on, doesn't collect them.
  private mutating func enter(_ scope: ChangeScope) {
    changeScopes.removeAll { !$0.isOpen }
    changeScopes.append(scope)
  }

  /// Runs a closure whose changes are marked, or silent where there is no mark.
  fileprivate static func marking<Value, Failure: Error>(
    _ origin: String?, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let scope = ChangeScope(origin)
    defer { scope.end() }
    return try changing({ $0.enter(scope) }, body)
  }

  /// Runs an asynchronous closure whose changes are marked, or silent where there is no mark.
  fileprivate static func marking<Value, Failure: Error>(
    _ origin: String?, isolation: isolated (any Actor)?,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let scope = ChangeScope(origin)
    defer { scope.end() }
    return try await changing({ $0.enter(scope) }, isolation: isolation, body)
  }
}

extension Defaults {
  /// Runs a closure whose changes carry a mark, so that a writer that observes can tell its own.
  ///
  /// ```swift
  /// let observation = Defaults.observe(.theme) { change in
  ///   if change.origin != "sync" { upload(change.newValue) }
  /// }
  /// Defaults.withOrigin("sync") { Defaults[.theme] = downloaded }
  /// ```
  ///
  /// A change is marked if it is committed before the closure returns, on the closure's own task or
  /// thread, in a child task, or in a `Task { }` that was started inside. The innermost closure that
  /// still runs gives the mark. A task that outlives all of them makes changes without a mark, and
  /// so does a transaction that began inside and ends after them.
  ///
  /// Threads, Dispatch queues and `Task.detached` don't inherit task-local values, and so not the
  /// mark. Call this function in the code that they run:
  ///
  /// ```swift
  /// queue.async {
  ///   Defaults.withOrigin("sync") { Defaults[.theme] = downloaded }
  /// }
  /// ```
  ///
  /// A handler writes without the mark of the change that it handles. The mark isn't stored and
  /// doesn't reach other processes, which see ``Change/Source/external``.
  public static func withOrigin<Value, Failure: Error>(
    _ origin: String, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try TaskContext.marking(origin, body)
  }

  /// Runs an asynchronous closure whose changes carry a mark; see the synchronous form.
  public static func withOrigin<Value, Failure: Error>(
    _ origin: String, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await TaskContext.marking(origin, isolation: isolation, body)
  }
}

extension Defaults {
  /// Runs a closure whose changes reach no observer.
  ///
  /// A change is silent if it is committed before the closure returns, on the closure's own task or
  /// thread, in a child task, or in a `Task { }` that was started inside. It is stored and saved like
  /// any other, and gives no event of `observe` or `updates`, and no notification. Changes that
  /// other tasks, threads and processes make meanwhile are not silent, and neither are those of a
  /// task that outlives the closure.
  ///
  /// Threads, Dispatch queues and `Task.detached` don't inherit task-local values, and so not the
  /// silence. Call this function in the code that they run, as for ``withOrigin(_:_:)``.
  ///
  /// ```swift
  /// let observation = Defaults.observe(keys: .celsius, .fahrenheit) {
  ///   Defaults.withoutPropagation { Defaults[.lastEdit] = Date() }
  /// }
  /// ```
  public static func withoutPropagation<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try TaskContext.marking(nil, body)
  }

  /// Runs an asynchronous closure whose changes reach no observer; see the synchronous form.
  public static func withoutPropagation<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await TaskContext.marking(nil, isolation: isolation, body)
  }
}
