#if canImport(Combine)
  import Combine

  /// A subscription to an observation, with the outputs that weren't demanded yet.
  ///
  /// Until it is cancelled, the observation retains the subscription, which retains the subscriber.
  final class ObservationSubscription<Downstream: Subscriber>: Subscription, Sendable
  where Downstream.Input: Sendable, Downstream.Failure == Never {
    private struct State {
      /// nil after the subscription was cancelled. It needn't be Sendable: a publisher may call its
      /// subscriber on any thread, but only one call at a time, which `isDelivering` ensures.
      var downstream: Downstream?
      var observation: (any Defaults.Observation)?
      var demand = Subscribers.Demand.none
      /// The latest outputs that weren't demanded, the oldest first.
      var waiting: [Downstream.Input] = []
      var isDelivering = false
    }

    private let capacity: Int
    private let state = Lock(State())

    init(_ downstream: Downstream, capacity: Int) {
      self.capacity = capacity
      state.withLock { $0.downstream = downstream }
    }

    /// Stores the token of the observation.
    func begin(_ observation: any Defaults.Observation) {
      state.withLock { $0.observation = observation }
    }

    /// Adds an output, and delivers it now or when it is demanded.
    @Sendable
    func offer(_ output: Downstream.Input) {
      let dropped: Downstream.Input? = state.withLock { state in
        guard state.downstream != nil else { return nil }
        state.waiting.append(output)
        return state.waiting.count > capacity ? state.waiting.removeFirst() : nil
      }
      // Outside of the lock, because releasing the output may run any code.
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
      // Also released outside of the lock.
      withExtendedLifetime((downstream, waiting)) {}
    }

    /// Delivers the outputs that wait and are demanded. If another thread, or an outer call on this
    /// thread, is already delivering, it also delivers these outputs.
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

    /// Returns the next output that is demanded, with its subscriber; nil ends the delivery.
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
