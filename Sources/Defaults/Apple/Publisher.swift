#if canImport(Combine)
  import Combine

  extension Defaults {
    /// Returns a publisher of the changes of a key, beginning with its current value.
    ///
    /// ```swift
    /// let cancellable = Defaults.publisher(.isUnicornMode)
    ///   .map(\.newValue)
    ///   .sink { print($0) }
    /// ```
    ///
    /// Each subscription has its own observation. A subscription never completes; it ends only when
    /// it is canceled. See ``observe(_:options:invalid:handler:)`` for the order and the thread of
    /// the events; use `receive(on:)` for another thread. A subscriber that demands fewer changes
    /// than there are gets the missed changes when it demands more. Of more than 64 missed changes,
    /// the oldest are lost. ``updates(_:initial:)`` is a counterpart that needs no framework.
    ///
    /// It was run on Linux with OpenCombine in place of Combine, and never compiled by Apple's
    /// compiler.
    public static func publisher<Value>(
      _ key: Key<Value>, options: ObservationOptions = [.initial]
    ) -> AnyPublisher<KeyChange<Value>, Never> {
      ObservationPublisher(capacity: 64) { receive in
        observe(key, options: options, handler: receive)
      }.eraseToAnyPublisher()
    }

    /// Returns a publisher that emits once for each transaction that changes any of several keys.
    ///
    /// With ``ObservationOptions/initial`` it also emits once at the start. A subscriber that
    /// demands fewer outputs than there are changes gets one output for all missed changes. The
    /// keys may have different types and suites. See ``publisher(_:options:)``.
    public static func publisher(
      keys key: AnyKey, _ more: AnyKey..., options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
      publisher(keys: [key] + more, options: options)
    }

    /// Returns a publisher that emits when one of several keys changes; see the variadic form.
    public static func publisher(
      keys: some Sequence<AnyKey>, options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
      let keys = Array(keys)
      return ObservationPublisher(capacity: 1) { receive in
        observe(keys: keys, options: options) { receive(()) }
      }.eraseToAnyPublisher()
    }
  }

  /// A publisher that begins an observation for each subscriber.
  private struct ObservationPublisher<Output: Sendable>: Publisher {
    typealias Failure = Never
    typealias Start = (@escaping @Sendable (Output) -> Void) -> any Defaults.Observation

    /// The maximum number of outputs that wait for a subscriber.
    let capacity: Int
    private let start: Start

    init(capacity: Int, start: @escaping Start) {
      self.capacity = capacity
      self.start = start
    }

    func receive(subscriber: some Subscriber<Output, Never>) {
      let subscription = ObservationSubscription(subscriber, capacity: capacity)
      // Observes first, so that changes before the subscriber's first demand wait for it.
      subscription.begin(start(subscription.offer))
      subscriber.receive(subscription: subscription)
    }
  }
#endif
