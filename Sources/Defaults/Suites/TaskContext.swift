/// What a task inherits from the one that started it: all of it in one task-local value.
///
/// Child tasks and `Task { }` inherit the context; `Task.detached`, threads and queues don't.
struct TaskContext: Sendable {
  @TaskLocal private static var innermost: TaskContext?

  /// What stands in for the program's suite; nil if nothing does. The scope's type is known above.
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
  static func changing<Result, Failure: Error>(
    _ change: (inout TaskContext) -> Void, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var context = current
    change(&context)
    return try $innermost.during(context, body)
  }

  /// Runs an asynchronous closure in the present context but for a change of it.
  static func changing<Result, Failure: Error>(
    _ change: (inout TaskContext) -> Void, isolation: isolated (any Actor)?,
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    var context = current
    change(&context)
    return try await $innermost.during(context, isolation: isolation, body)
  }

  /// Runs a handler in the scope in which it began to observe. What it writes is its own: neither
  /// silent nor marked because the writer is on whose thread it runs.
  static func handling(in scope: (any AnyObject & Sendable)?, _ body: () -> Void) {
    guard let outer = innermost else {
      guard scope != nil else { return body() }
      return $innermost.withValue(TaskContext(scope: scope), operation: body)
    }
    $innermost.withValue(
      TaskContext(scope: scope, transaction: outer.transaction), operation: body)
  }
}
