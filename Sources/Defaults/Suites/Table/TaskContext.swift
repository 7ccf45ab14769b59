import Synchronization

/// The values that a task inherits from the task that started it, in one task-local value.
///
/// Child tasks and `Task { }` inherit the context; `Task.detached`, threads and queues don't.
package struct TaskContext: Sendable {
  @TaskLocal private static var innermost: TaskContext?

  /// The scope whose suite replaces the program's suite, if any. Its type is in a higher layer.
  var scope: (any AnyObject & Sendable)?
  /// The calls of `withOrigin` and `withoutPropagation` around the task, innermost last. Some may
  /// have ended, since a task can outlive the closure in which it was started.
  private var changeScopes: [ChangeScope] = []
  /// The transaction in which the task was started, if any.
  var transaction: TransactionScope?
  /// Whether a read stores a value that is generated once.
  var isStoringInitialValue = false

  /// The current context. Reading it takes about 10 ns.
  static var current: TaskContext { innermost ?? TaskContext() }

  /// The origin of a change that is committed now; nil if it has none.
  static var originOfCommit: String? {
    // Saves a setter the look-up of the context, which takes about 10 ns.
    ChangeScope.count.load(ordering: .relaxed) == 0 ? nil : innermost?.origin
  }

  /// Runs a closure in a changed copy of the current context.
  static func changing<Value, Failure: Error>(
    _ change: (inout TaskContext) -> Void, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var context = current
    change(&context)
    // `withValue` rethrows untyped errors.
    let outcome = $innermost.withValue(context) { Result { () throws(Failure) in try body() } }
    return try outcome.get()
  }

  /// Runs an asynchronous closure in a changed copy of the current context.
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

  /// Runs a handler in the scope of its observation. The writer's origin and silence don't apply to
  /// the handler's own changes.
  static func handling(in scope: (any AnyObject & Sendable)?, _ body: () -> Void) {
    let outer = innermost
    if outer == nil, scope == nil { return body() }
    let context = TaskContext(scope: scope, transaction: outer?.transaction)
    $innermost.withValue(context, operation: body)
  }
}

// MARK: - The scopes of changes

/// One call of `withOrigin` or `withoutPropagation`.
///
/// A class, so that a task that inherited the scope and outlives the closure sees its end.
private final class ChangeScope: Sendable {
  /// The origin of the scope's changes; nil if the scope silences them.
  let origin: String?
  private let hasEnded = Atomic(false)

  /// The number of scopes that haven't ended, usually 0.
  static let count = Atomic(0)

  /// Whether the changes were made on another device and are external here.
  let isOfOtherDevice: Bool

  /// Creates a scope that gives changes an origin or, with nil, silences them.
  init(_ origin: String?, isOfOtherDevice: Bool) {
    self.origin = origin
    self.isOfOtherDevice = isOfOtherDevice
    Self.count.wrappingAdd(1, ordering: .relaxed)
  }

  var isOpen: Bool { !hasEnded.load(ordering: .acquiring) }

  func end() {
    hasEnded.store(true, ordering: .releasing)
    Self.count.wrappingSubtract(1, ordering: .relaxed)
  }
}

extension TaskContext {
  /// Whether a change that is committed now reaches no observer.
  var isSilent: Bool { changeScopes.contains { $0.origin == nil && $0.isOpen } }

  var origin: String? { changeScopes.last { $0.origin != nil && $0.isOpen }?.origin }

  var isOfOtherDevice: Bool { changeScopes.last { $0.isOpen }?.isOfOtherDevice == true }

  /// Enters a scope and drops ended scopes, which would otherwise accumulate if each task starts
  /// the next.
  private mutating func enter(_ scope: ChangeScope) {
    changeScopes.removeAll { !$0.isOpen }
    changeScopes.append(scope)
  }

  /// Runs a closure whose changes have an origin or, with nil, are silent. With
  /// `isOfOtherDevice`, their source is external.
  package static func marking<Value, Failure: Error>(
    _ origin: String?, isOfOtherDevice: Bool = false, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let scope = ChangeScope(origin, isOfOtherDevice: isOfOtherDevice)
    defer { scope.end() }
    return try changing({ $0.enter(scope) }, body)
  }

  /// Runs an asynchronous closure whose changes have an origin or, with nil, are silent.
  fileprivate static func marking<Value, Failure: Error>(
    _ origin: String?, isolation: isolated (any Actor)?,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let scope = ChangeScope(origin, isOfOtherDevice: false)
    defer { scope.end() }
    return try await changing({ $0.enter(scope) }, isolation: isolation, body)
  }
}

extension Defaults {
  /// Runs a closure and gives its changes an origin, by which observers can recognize them.
  ///
  /// ```swift
  /// let observation = Defaults.observe(.theme) { change in
  ///   if change.origin != "server" { upload(change.newValue) }
  /// }
  /// Defaults.withOrigin("server") { Defaults[.theme] = downloaded }
  /// ```
  ///
  /// A change has the origin if it is committed before the closure returns, on the closure's own
  /// task or thread, in a child task, or in a `Task { }` that was started inside. In nested
  /// closures, the innermost running closure determines the origin. Changes after the end of all
  /// these closures have no origin, even in a task or transaction that began inside.
  ///
  /// Threads, Dispatch queues and `Task.detached` don't inherit task-local values such as the
  /// origin. Call this function in the code that they run:
  ///
  /// ```swift
  /// queue.async {
  ///   Defaults.withOrigin("server") { Defaults[.theme] = downloaded }
  /// }
  /// ```
  ///
  /// If a handler makes changes, these don't have the origin of the change that the handler
  /// receives. The journal stores the first 100 characters of the origin for `DefaultsHistory`.
  /// Observers in other processes don't receive the origin; for them, the source of the change is
  /// ``Change/Source/external``.
  ///
  /// - Parameters:
  ///   - origin: The value for ``Change/origin``.
  ///   - body: The closure that makes the changes.
  /// - Returns: The result of the closure.
  public static func withOrigin<Value, Failure: Error>(
    _ origin: String, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try TaskContext.marking(origin, body)
  }

  /// Runs an asynchronous closure and gives its changes an origin; see the synchronous form.
  public static func withOrigin<Value, Failure: Error>(
    _ origin: String, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await TaskContext.marking(origin, isolation: isolation, body)
  }

  /// Runs a closure whose changes reach no observer.
  ///
  /// A silent change is stored as usual, but causes no event of `observe` or `updates` and no
  /// notification. The changes that would get an origin in ``withOrigin(_:_:)`` are silent. Those
  /// of other threads, Dispatch queues and `Task.detached` aren't, nor are changes after the
  /// closure has returned. For a suite of layers, a change in a layer other than the writable
  /// layer is external, and isn't silent.
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
