/// Something that a forked child has anew, since in the parent it may belong to a thread that the
/// child doesn't have.
final class ForkLocal<Value: Sendable>: Sendable {
  private let state: Lock<(forks: Int, value: Value)>
  private let make: @Sendable () -> Value

  init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
    state = Lock((Forking.forks, make()))
  }

  /// That of this process.
  var value: Value {
    state.withLock { state in
      if state.forks != Forking.forks { state = (Forking.forks, make()) }
      return state.value
    }
  }
}
