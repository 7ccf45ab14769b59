extension Defaults {
  /// Calls a handler with the old and the new value whenever a key changes.
  ///
  /// Handlers run outside of every lock, one at a time per suite, in the order of the commits: on
  /// the thread that wrote, before its setter returns, or under contention on the thread that is
  /// delivering already. A handler may read, write, observe and invalidate. Keep the token, or tie
  /// it to an object; the observation ends with it.
  ///
  /// ```swift
  /// let observation = Defaults.observe(.isUnicornMode) { change in
  ///   print(change.oldValue, change.newValue)
  /// }
  /// ```
  ///
  /// **Actors.** A handler has the isolation of the code in which it is written. In a `@MainActor`
  /// class it runs on the main actor: before the setter returns if that is called on the main
  /// thread, otherwise soon after. On another actor it always runs soon after. Each such handler
  /// gets every event, in order, and none once its observation has ended there. The top level of
  /// `main.swift` belongs to the main actor, too: a program that blocks its main thread and wants
  /// to hear of changes observes in a function that isn't isolated, or passes one as the handler.
  ///
  /// An actor of your own, which isn't a global one, is kept by its handler until the observation is
  /// invalidated.
  ///
  /// **Values.** There is no event whose old and new value are equal, unless a problem comes or goes
  /// with it. An entry that isn't a value of the key's type, which somebody may write with an
  /// editor, counts as the default, and the event has the `error`; that is told once, and again
  /// only after it was gone. With `invalid: .skip` there is no event for such an entry, so that the
  /// last good value stays.
  public static func observe<Value>(
    _ key: Key<Value>, options: ObservationOptions = [.initial],
    invalid response: UndecodableEntryPolicy = .useDefault,
    @_inheritActorContext handler:
      @escaping @isolated(any) @Sendable (KeyChange<Value>) -> Void
  ) -> some Observation {
    let suite = key.suite
    let entry = key.establishedEntry(in: suite)
    let events = KeyEvents(key, suite, beginningWith: entry, response)
    return ObservationGroup([
      suite.observe(
        key.observedNames, options: options, Handler(handler).compactMap { events.event(for: $0) })
    ])
  }

  /// Calls a handler whenever one of some keys changes, once for a transaction that changes
  /// several.
  ///
  /// A change that leaves every key's value as it was gives no call, unless a problem comes or goes
  /// with it. With ``ObservationOptions/initial`` there is one call at the start. The keys may be in
  /// different suites; the handler is then called one at a time for each of them. See
  /// ``observe(_:options:invalid:handler:)``.
  public static func observe(
    keys key: AnyKey, _ more: AnyKey..., options: ObservationOptions = [.initial],
    @_inheritActorContext handler: @escaping @isolated(any) @Sendable () -> Void
  ) -> some Observation {
    observe(keys: [key] + more, options: options, handler: handler)
  }

  /// Calls a handler whenever one of some keys changes; see the variadic form.
  public static func observe(
    keys: some Sequence<AnyKey>, options: ObservationOptions = [.initial],
    @_inheritActorContext handler: @escaping @isolated(any) @Sendable () -> Void
  ) -> some Observation {
    let handler = Handler<Void>(handler)
    return ObservationGroup(
      AnyKey.bySuite(Array(keys)).enumerated().map { index, group in
        for key in group.keys { key.introduce(to: group.suite) }
        return group.suite.observe(
          Set(group.keys.flatMap(\.allNames)),
          options: index == 0 ? options : options.subtracting(.initial),
          handler.compactMap { [suite = group.suite, keys = group.keys] change in
            let isNews = keys.contains { $0.news(in: change, of: suite) != nil }
            return change.isInitial || isNews ? () : nil
          })
      })
  }
}
