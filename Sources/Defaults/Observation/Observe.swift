extension Defaults {
  /// Calls a handler with the old and the new value whenever a key changes.
  ///
  /// ```swift
  /// let observation = Defaults.observe(.isUnicornMode) { change in
  ///   print(change.oldValue, change.newValue)
  /// }
  /// ```
  ///
  /// Handlers run outside of every lock, one at a time per suite, in commit order. They run on the
  /// writing thread before its setter returns or, under contention, on the thread that is already
  /// delivering. The handlers for a change inside of a handler of the same suite run after that
  /// handler. A handler may read, write, observe and invalidate. Observing a suite inside of its
  /// own transaction traps.
  ///
  /// **Actors.** A handler has the isolation of the surrounding code. In a `@MainActor` class it
  /// runs on the main actor: before the setter returns if the setter is called on the main thread,
  /// otherwise soon after. On other actors it always runs soon after. The handler gets every event,
  /// in order, and none after the observation was invalidated on the handler's actor. Top-level
  /// code in `main.swift` is isolated to the main actor, too. If a program blocks its main thread,
  /// it must observe in a nonisolated function, or pass a nonisolated function as the handler. A
  /// handler that is isolated to an instance of an actor retains that instance until the
  /// observation is invalidated.
  ///
  /// **Values.** There is no event if old and new value are equal, unless an error appears or
  /// disappears. An entry that isn't a value of the key's type reads as the default, and its event
  /// has an `error`.
  ///
  /// - Parameters:
  ///   - key: The key, observed in its suite.
  ///   - options: Requests for additional events.
  ///   - response: The event for an entry that doesn't decode. `.skip` keeps the last valid value.
  ///   - handler: Called with each event.
  /// - Returns: A token. The observation ends when the token is released, unless it is tied to an
  ///   object.
  public static func observe<Value>(
    _ key: Key<Value>, options: ObservationOptions = [.initial],
    invalid response: UndecodableEntryPolicy = .useDefault,
    @_inheritActorContext handler:
      @escaping @isolated(any) @Sendable (KeyChange<Value>) -> Void
  ) -> some Observation {
    let suite = key.suite
    key.establishedEntry(in: suite)
    let events = KeyEvents(key, suite, options, response)
    return ObservationGroup([
      suite.observe(
        Set(key.allNames), options: events.options,
        Handler(handler).compactMap { events.event(for: $0) })
    ])
  }

  /// Calls a handler whenever one of several keys changes, once per transaction.
  ///
  /// A change that leaves the values of all keys equal is skipped, unless an error appears or
  /// disappears. ``ObservationOptions/initial`` requests one call at the start. If the keys are in
  /// several suites, calls of the handler for different suites may overlap. See
  /// ``observe(_:options:invalid:handler:)`` for the rest.
  public static func observe(
    keys key: AnyKey, _ more: AnyKey..., options: ObservationOptions = [.initial],
    @_inheritActorContext handler: @escaping @isolated(any) @Sendable () -> Void
  ) -> some Observation {
    observe(keys: [key] + more, options: options, handler: handler)
  }

  /// Calls a handler whenever one of several keys changes; see the variadic form.
  public static func observe(
    keys: some Sequence<AnyKey>, options: ObservationOptions = [.initial],
    @_inheritActorContext handler: @escaping @isolated(any) @Sendable () -> Void
  ) -> some Observation {
    let handler = Handler<Void>(handler)
    var groups = AnyKey.bySuite(keys)
    // Without keys, there still is an initial event.
    if groups.isEmpty { groups = [(KeySuite.none.here, [])] }
    return ObservationGroup(
      groups.enumerated().map { index, group in
        let news = group.keys.follow(in: group.suite)
        // The initial event comes when all suites are observed, so that no change is lost.
        let isInitialWanted = options.contains(.initial) && index == groups.count - 1
        return group.suite.observe(
          Set(group.keys.flatMap(\.allNames)), options: options.union([.initial, .silent]),
          handler.compactMap { change in
            let isNews = !news(change).isEmpty
            return (change.isInitial ? isInitialWanted : isNews) ? () : nil
          })
      })
  }
}

// MARK: - A common mistake

extension Defaults.Suite {
  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message:
      "declare the key with the suite, `Key(\"volume\", default: 5, suite: suite)`, and write `Defaults.observe(key)`; or write `Defaults.withSuite(suite) { Defaults.observe(key) { … } }`"
  )
  public func observe<Value>(
    _ key: Defaults.Key<Value>, options: Defaults.ObservationOptions = [],
    handler: (Defaults.KeyChange<Value>) -> Void
  ) -> any Defaults.Observation { fatalError() }
}
