#if canImport(Combine)
  import Combine

  extension Defaults {
    /// A publisher of the changes of a key, beginning with its present value.
    ///
    /// ```swift
    /// let cancellable = Defaults.publisher(.isUnicornMode)
    ///   .map(\.newValue)
    ///   .sink { print($0) }
    /// ```
    ///
    /// Each subscriber has an observation of its own: see ``observe(_:options:invalid:handler:)`` for the
    /// order of the events and their thread, which with `receive(on:)` is yours to choose. It
    /// lasts until it is cancelled, and never completes. A subscriber that demands less than comes
    /// gets what it missed when it demands more; if that is more than 64 changes, it loses the
    /// oldest, never the newest. ``updates(_:initial:)`` is the form that needs no framework.
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

    /// A publisher that tells whenever one of some keys changes, once for a transaction that
    /// changes several.
    ///
    /// With ``ObservationOptions/initial`` it tells once at the start. A subscriber that demands
    /// less than comes is told once of all that it missed. The keys may be of different types, and
    /// in different suites. See ``publisher(_:options:)``.
    public static func publisher(
      keys key: AnyKey, _ more: AnyKey..., options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
      publisher(keys: [key] + more, options: options)
    }

    /// A publisher that tells whenever one of some keys changes; see the variadic form.
    public static func publisher(
      keys: some Sequence<AnyKey>, options: ObservationOptions = [.initial]
    ) -> AnyPublisher<Void, Never> {
      let keys = Array(keys)
      return ObservationPublisher(capacity: 1) { receive in
        observe(keys: keys, options: options) { receive(()) }
      }.eraseToAnyPublisher()
    }
  }

  /// Begins an observation for each subscriber.
  private struct ObservationPublisher<Output: Sendable>: Publisher {
    typealias Failure = Never
    typealias Start = (@escaping @Sendable (Output) -> Void) -> any Defaults.Observation

    /// How many outputs wait for a subscriber at most.
    let capacity: Int
    private let start: Start

    init(capacity: Int, start: @escaping Start) {
      self.capacity = capacity
      self.start = start
    }

    func receive(subscriber: some Subscriber<Output, Never>) {
      let subscription = ObservationSubscription(subscriber, capacity: capacity)
      // Listens first: what changes before the subscriber's first demand waits for it.
      subscription.begin(start(subscription.offer))
      subscriber.receive(subscription: subscription)
    }
  }
#endif
