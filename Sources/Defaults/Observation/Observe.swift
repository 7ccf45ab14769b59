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
  public static func observe<Value>(
    _ key: Key<Value>, options: ObservationOptions = [.initial],
    handler: @escaping @Sendable (KeyChange<Value>) -> Void
  ) -> some Observation {
    let suite = key.suite
    key.establish(in: suite)
    return ObservationGroup([
      observeEntry(of: key, in: suite, options: options, teller(of: key, in: suite, handler))
    ])
  }

  /// What hands a change of an entry to the handler, as one of the key's value.
  private static func teller<Value>(
    of key: Key<Value>, in suite: any Suite,
    _ handler: @escaping @Sendable (KeyChange<Value>) -> Void
  ) -> @Sendable (Change, Change.Entry) -> Void {
    guard case .initial = key.fallback else {
      return { handler(KeyChange($0, $1, of: key, in: suite, told: nil)) }
    }
    let told = Lock(Value?.none)
    return { change, entry in
      let event = KeyChange(change, entry, of: key, in: suite, told: told.withLock { $0 })
      if !event.isPrior { told.withLock { $0 = event.newValue } }
      handler(event)
    }
  }

  /// Calls a handler whenever one of some keys changes, once for a transaction that changes
  /// several.
  ///
  /// With ``ObservationOptions/initial`` there is one call at the start. The keys may be in
  /// different suites; the handler is then called one at a time for each of them. See
  /// ``observe(_:options:handler:)``.
  public static func observe(
    keys: AnyKey..., options: ObservationOptions = [.initial],
    handler: @escaping @Sendable () -> Void
  ) -> some Observation {
    observe(keys: keys, options: options, handler: handler)
  }

  /// Calls a handler whenever one of some keys changes; see the variadic form.
  public static func observe(
    keys: [AnyKey], options: ObservationOptions = [.initial],
    handler: @escaping @Sendable () -> Void
  ) -> some Observation {
    let groups = namesBySuite(keys)
    let group = ObservationGroup(
      groups.enumerated().map { index, group in
        group.suite.observe(
          group.names,
          options: (index == 0 ? options : options.subtracting(.initial)).union(.followingNames)
        ) { if !$0.isSilent { handler() } }
      })
    widenObservers(of: keys, since: groups)
    return group
  }
}
