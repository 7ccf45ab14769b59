import Synchronization

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
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
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

  var isOpen: Bool {
    !hasEnded.load(ordering: .acquiring) || (outer?.isOpen ?? false)
  }

  func end() {
    hasEnded.store(true, ordering: .releasing)
  }
}
