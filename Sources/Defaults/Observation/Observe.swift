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
  public static func observe<Value>(
    _ key: Key<Value>, options: ObservationOptions = [.initial],
    @_inheritActorContext handler:
      @escaping @isolated(any) @Sendable (KeyChange<Value>) -> Void
  ) -> some Observation {
    let suite = key.suite
    key.establishedEntry(in: suite)
    // What the handler was given last, if the key has an initial value; see `KeyChange`.
    let last: Lock<Value?>? = if case .initial = key.fallback { Lock(nil) } else { nil }
    return ObservationGroup([
      suite.observe(
        [key.name], options: options,
        Handler(handler).map { change in
          let event = KeyChange(change, of: key, in: suite, last: last?.withLock { $0 })
          if !event.isPrior { last?.replace(with: event.newValue) }
          return event
        })
    ])
  }

  /// Calls a handler whenever one of some keys changes, once for a transaction that changes
  /// several.
  ///
  /// With ``ObservationOptions/initial`` there is one call at the start. The keys may be in
  /// different suites; the handler is then called one at a time for each of them. See
  /// ``observe(_:options:handler:)``.
  public static func observe(
    keys: AnyKey..., options: ObservationOptions = [.initial],
    @_inheritActorContext handler: @escaping @isolated(any) @Sendable () -> Void
  ) -> some Observation {
    observe(keys: keys, options: options, handler: handler)
  }

  /// Calls a handler whenever one of some keys changes; see the variadic form.
  public static func observe(
    keys: [AnyKey], options: ObservationOptions = [.initial],
    @_inheritActorContext handler: @escaping @isolated(any) @Sendable () -> Void
  ) -> some Observation {
    let handler = Handler<Void>(handler).map { (_: Change) in }
    return ObservationGroup(
      AnyKey.bySuite(keys).enumerated().map { index, group in
        for key in group.keys { key.entry(in: group.suite) }
        return group.suite.observe(
          Set(group.keys.map(\.name)),
          options: index == 0 ? options : options.subtracting(.initial), handler)
      })
  }
}

extension Defaults {
  /// What the observer of one key is told: its value before and after a change.
  public struct KeyChange<Value: Sendable>: Sendable {
    /// The value before. In an initial event, the present one.
    public let oldValue: Value
    /// The value after. In an initial event, the present one.
    public let newValue: Value
    /// Whether this is the first of the two events of an observer with
    /// ``ObservationOptions/prior``.
    public let isPrior: Bool
    /// Whether this is the event that ``ObservationOptions/initial`` asked for.
    public let isInitial: Bool
    /// Who made the change.
    public let source: Change.Source
    /// The mark of the writer in this process who set one; see ``Defaults/withOrigin(_:_:)``.
    public let origin: Origin?

    /// What a change of the entry means to the key.
    ///
    /// `last` is the value that the observer was given last. It counts as the old value of a key
    /// with an initial value that has no entry: what such a key reads then is the next value to be
    /// stored, which nobody has seen.
    init(_ change: Change, of key: Key<Value>, in suite: any Suite, last: Value?) {
      let entry = change.entries[key.name]
      // Where nothing can be moved now, an observer begins with what a read finds.
      let unmoved = change.isInitial && entry?.new == nil ? key.unmovedEntry(in: suite) : nil
      newValue = key.value(ofEntry: entry?.new ?? unmoved, in: suite)
      if change.isInitial {
        oldValue = newValue
      } else if case .initial = key.fallback, entry?.old == nil {
        oldValue = last ?? newValue
      } else {
        oldValue = key.value(ofEntry: entry?.old, in: suite)
      }
      origin = change.origin
      isPrior = change.isPrior
      isInitial = change.isInitial
      source = change.source
    }
  }
}

extension Defaults.KeyChange: Equatable where Value: Equatable {}
