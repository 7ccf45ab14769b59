#if canImport(Combine)
  import Combine

  /// What a subscriber of an observation has: the observation, and what it hasn't demanded yet.
  ///
  /// The observation holds it, and it holds the subscriber, until it is cancelled.
  final class ObservationSubscription<Downstream: Subscriber>: Subscription, Sendable
  where Downstream.Input: Sendable, Downstream.Failure == Never {
    private struct State {
      /// Nil once the subscription is cancelled. It needn't be Sendable: a publisher may call its
      /// subscriber on any thread, one call at a time, which is what `isDelivering` is for.
      var downstream: Downstream?
      var observation: (any Defaults.Observation)?
      var demand = Subscribers.Demand.none
      /// The newest outputs that weren't demanded, the oldest first.
      var waiting: [Downstream.Input] = []
      var isDelivering = false
    }

    private let capacity: Int
    private let state = Lock(State())

    init(_ downstream: Downstream, capacity: Int) {
      self.capacity = capacity
      state.withLock { $0.downstream = downstream }
    }

    /// Takes the token of the observation.
    func begin(_ observation: any Defaults.Observation) {
      state.withLock { $0.observation = observation }
    }

    /// Takes an output, for now or for later.
    @Sendable
    func offer(_ output: Downstream.Input) {
      let dropped: Downstream.Input? = state.withLock { state in
        guard state.downstream != nil else { return nil }
        state.waiting.append(output)
        return state.waiting.count > capacity ? state.waiting.removeFirst() : nil
      }
      // Not under the lock: it may run code when it dies.
      _ = consume dropped
      deliver()
    }

    func request(_ demand: Subscribers.Demand) {
      state.withLock { $0.demand += demand }
      deliver()
    }

    func cancel() {
      let (downstream, observation, waiting) = state.withLock { state in
        defer { (state.downstream, state.observation, state.waiting) = (nil, nil, []) }
        return (state.downstream, state.observation, state.waiting)
      }
      observation?.invalidate()
      // Nor do these die under the lock.
      withExtendedLifetime((downstream, waiting)) {}
    }

    /// Hands over what is waiting and demanded, unless another thread, or a caller further up on
    /// this one, is doing that already: it will do this too.
    private func deliver() {
      let isMine = state.withLock { state in
        defer { state.isDelivering = true }
        return !state.isDelivering
      }
      guard isMine else { return }
      while let (downstream, output) = next() {
        let demand = downstream.receive(output)
        state.withLock { $0.demand += demand }
      }
    }

    /// The next output that is demanded, and who gets it; nil ends the delivery.
    private func next() -> (Downstream, Downstream.Input)? {
      state.withLock { state in
        guard let downstream = state.downstream, state.demand > .none, !state.waiting.isEmpty else {
          state.isDelivering = false
          return nil
        }
        state.demand -= 1
        return (downstream, state.waiting.removeFirst())
      }
    }
  }
#endif
