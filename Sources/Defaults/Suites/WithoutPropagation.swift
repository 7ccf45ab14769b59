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
    return try SilentScope.$current.during(scope, body)
  }

  /// Runs an asynchronous closure whose changes reach no observer; see the synchronous form.
  public static func withoutPropagation<Value, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let scope = SilentScope()
    defer { scope.end() }
    return try await SilentScope.$current.during(scope, isolation: isolation, body)
  }

  /// Whether changes made here and now are silent. Costs about 20 ns.
  static var isPropagationStopped: Bool {
    SilentScope.current?.isOpen ?? false
  }

  /// Runs handlers, whose changes aren't those of the closure on whose thread they run.
  static func resumingPropagation(_ body: () -> Void) {
    if SilentScope.current == nil {
      body()
    } else {
      SilentScope.$current.withValue(nil, operation: body)
    }
  }
}

/// One call of `withoutPropagation`: an object, so that a task that inherited it sees its end.
private final class SilentScope: Sendable {
  @TaskLocal static var current: SilentScope?

  private let hasEnded = Atomic(false)
  /// A scope inside another is silent as long as either is open.
  private let outer = SilentScope.current

  var isOpen: Bool {
    !hasEnded.load(ordering: .acquiring) || (outer?.isOpen ?? false)
  }

  func end() {
    hasEnded.store(true, ordering: .releasing)
  }
}
