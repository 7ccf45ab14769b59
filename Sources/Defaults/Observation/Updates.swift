extension Defaults {
  /// Returns the values of a key as they change, beginning with the current one by default.
  ///
  /// ```swift
  /// for await isOn in Defaults.updates(.isUnicornMode) { print(isOn) }
  /// ```
  ///
  /// No change between the first read and the start of the observation is lost. If the reader lags
  /// by more than 64 values, the oldest are dropped. Observation ends at once when the reading task
  /// is canceled or the stream is released. A change to an equal value is skipped. Each stream has
  /// one reader: two loops over one stream would share its values. Calling this inside of a
  /// transaction of the key's suite traps.
  ///
  /// - Parameters:
  ///   - key: The key, observed in its suite.
  ///   - initial: Whether the stream begins with the current value.
  ///   - response: The element for an entry that isn't a value of the key's type: `.useDefault`
  ///     gives the default, `.skip` gives nothing. A stream that begins with such an entry begins
  ///     with the default in both cases.
  /// - Returns: A stream of values that ends only when it is canceled or released.
  public static func updates<Value>(
    _ key: Key<Value>, initial: Bool = true, invalid response: UndecodableEntryPolicy = .useDefault
  ) -> AsyncStream<Value> {
    stream { continuation in
      observe(key, options: initial ? [.initial] : [], invalid: response) { change in
        if !change.isSame { continuation.yield(change.newValue) }
      }
    }
  }

  /// Returns the values of several keys, as a tuple of all of them whenever one changes.
  ///
  /// A transaction in one suite gives one tuple, no tuple mixes the values of two transactions, and
  /// a change that leaves all values equal is skipped. While a required setting has no value, there
  /// are no tuples, and an issue is reported. The order, the buffer and the end of the stream are
  /// as in the overload for one key.
  public static func updates<First: Sendable, Second: Sendable, each Value: Sendable>(
    _ first: Key<First>, _ second: Key<Second>, _ more: repeat Key<each Value>,
    initial: Bool = true
  ) -> AsyncStream<(First, Second, repeat each Value)> {
    stream { continuation in
      var all: [AnyKey] = [first, second]
      for key in repeat each more { all.append(key) }
      let (one, other) = (Place(of: first), Place(of: second))
      let places = (repeat Place(of: each more))
      let groups = AnyKey.bySuite(all)
      let known = KnownEntries(expecting: groups.count, isInitialWanted: initial)
      return ObservationGroup(
        groups.map { suite, keys in
          let news = keys.follow(in: suite)
          return suite.observe(
            Set(keys.flatMap(\.allNames)), options: [.initial, .silent]
          ) { change in
            let isNews = news(change).contains(.value)
            known.take(change, from: suite, isNews: isNews) { entries in
              let values = try? (
                one.value(among: entries), other.value(among: entries),
                repeat (each places).value(among: entries)
              )
              if let values { continuation.yield(values) }
            }
          }
        })
    }
  }

  /// Returns an event whenever one of several keys changes, once per transaction.
  public static func updates(
    _ keys: some Sequence<AnyKey>, initial: Bool = true
  ) -> AsyncStream<Void> {
    stream { continuation in
      observe(keys: keys, options: initial ? [.initial] : []) { continuation.yield() }
    }
  }

  fileprivate static func stream<Element: Sendable>(
    _ start: (AsyncStream<Element>.Continuation) -> any Observation
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(64))
    let observation = start(continuation)
    continuation.onTermination = { _ in observation.invalidate() }
    return stream
  }
}

extension Defaults.Suite {
  /// Returns all later changes of the suite, one element per transaction, with the changed entries.
  ///
  /// The order, the buffer and the end of the stream are as in `Defaults.updates`. The stream
  /// retains the suite until it ends. Calling this inside of a transaction of the suite traps.
  public func changes() -> AsyncStream<Defaults.Change> {
    Defaults.stream { continuation in
      // The handler, which retains the suite, is released when the stream ends.
      observe(nil, options: []) { [self] change in
        withExtendedLifetime(self) { _ = continuation.yield(change) }
      }
    }
  }
}

/// A key and the suite that it had when a stream of its values began.
private struct Place<Value: Sendable>: Sendable {
  let key: Defaults.Key<Value>
  let suite: any Defaults.Suite

  init(of key: Defaults.Key<Value>) {
    self.key = key
    suite = key.suite
  }

  /// Returns the value; reports and throws the error of a required setting without a known value.
  func value(among entries: KnownEntries.Entries) throws(SuiteError) -> Value {
    let entry = key.allNames.lazy.compactMap { entries[suite.identity]?[$0] }
    guard let value = key.valueIfKnown(ofEntry: entry.first, in: suite) else {
      throw key.missing(in: suite)
    }
    return value
  }
}

/// The entries of keys in one or several suites, merged from the changes of each suite.
private final class KnownEntries: Sendable {
  typealias Entries = [ObjectIdentifier: [String: Defaults.PropertyListValue]]

  private struct State {
    var entries: Entries = [:]
    /// The number of suites whose current entries are still missing.
    var missing: Int
    var hasNews: Bool
  }

  private let state: Lock<State>
  private let mailbox = Mailbox<Entries>()

  init(expecting suites: Int, isInitialWanted: Bool) {
    state = Lock(State(missing: suites, hasNews: isInitialWanted))
  }

  /// Merges a change, and emits the entries when all suites are known and a value has changed.
  ///
  /// Emissions are serial, so that the later of two simultaneous emissions has both changes. They
  /// run outside of the lock, since decoding runs code of the program.
  func take(
    _ change: Defaults.Change, from suite: any Defaults.Suite, isNews: Bool,
    emit: (Entries) -> Void
  ) {
    state.withLock { state in
      for (name, entry) in change.entries {
        state.entries[suite.identity, default: [:]][name] = entry.new
      }
      switch change.kind {
      case .initial: state.missing -= 1
      case .made: state.hasNews = state.hasNews || isNews
      case .announced, .silent: break
      }
      guard state.missing == 0, state.hasNews else { return }
      state.hasNews = false
      mailbox.put(state.entries)
    }
    mailbox.deliver(emit)
  }
}
