extension Defaults {
  /// The values of a key as they change, beginning with the present one unless `initial` is false.
  ///
  /// The stream listens first and looks second, so that no change is lost between the two. A reader
  /// that lags behind by more than 64 values loses the oldest, never the newest. Observation ends
  /// at once when the task that reads is cancelled, or when the stream is released.
  ///
  /// ```swift
  /// for await isOn in Defaults.updates(.isUnicornMode) { print(isOn) }
  /// ```
  ///
  /// A change that leaves the value equal gives nothing. For an entry that isn't a value of the
  /// key's type the default is given, or with `invalid: .skip` nothing; see
  /// ``observe(_:options:invalid:handler:)``.
  public static func updates<Value>(
    _ key: Key<Value>, initial: Bool = true, invalid response: UndecodableEntryPolicy = .useDefault
  ) -> AsyncStream<Value> {
    stream { continuation in
      observe(key, options: initial ? [.initial] : [], invalid: response) { change in
        if !change.isSame { continuation.yield(change.newValue) }
      }
    }
  }

  /// The values of several keys, all of them whenever one changes.
  ///
  /// Values of one suite belong together: a transaction that changes several of them gives one
  /// tuple, no tuple mixes the values of two transactions, and a change that leaves all of them equal
  /// gives none. For order, buffer and end see the form for one key.
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
          suite.observe(Set(keys.flatMap(\.allNames)), options: [.initial, .silent]) { change in
            let isNews = keys.contains { $0.news(in: change, of: suite) == .value }
            known.take(change, from: suite, isNews: isNews) { entries in
              continuation.yield(
                (
                  one.value(among: entries), other.value(among: entries),
                  repeat (each places).value(among: entries)
                ))
            }
          }
        })
    }
  }

  /// An event whenever one of some keys changes, once for a transaction that changes several.
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
  /// All changes of the suite from now on, one element per transaction, with the changed entries.
  ///
  /// For order, buffer and end see `Defaults.updates`.
  public func changes() -> AsyncStream<Defaults.Change> {
    Defaults.stream { continuation in
      observe(nil, options: []) { continuation.yield($0) }
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
    key.establishedEntry(in: suite)
  }

  func value(among entries: KnownEntries.Entries) -> Value {
    let entry = key.allNames.lazy.compactMap { entries[.init(suite: suite.identity, name: $0)] }
    return key.value(ofEntry: entry.first, in: suite)
  }
}

/// The entries of keys in one or several suites, put together from the changes of each.
private final class KnownEntries: Sendable {
  typealias Entries = [Identifier: Defaults.PropertyListValue]

  private struct State {
    var entries: Entries = [:]
    /// How many suites haven't given their present entries yet.
    var missing: Int
    var hasNews: Bool
  }

  struct Identifier: Hashable {
    let suite: ObjectIdentifier
    let name: String
  }

  private let state: Lock<State>
  private let mailbox = Mailbox<Entries>()

  init(expecting suites: Int, isInitialWanted: Bool) {
    state = Lock(State(missing: suites, hasNews: isInitialWanted))
  }

  /// Takes in a change, and emits when all suites are known and there is news.
  ///
  /// One at a time, so that of two suites that change at once the later emission has both changes;
  /// and outside of the lock, since decoding runs code of the program.
  func take(
    _ change: Defaults.Change, from suite: any Defaults.Suite, isNews: Bool,
    emit: (Entries) -> Void
  ) {
    state.withLock { state in
      for (name, entry) in change.entries {
        state.entries[Identifier(suite: suite.identity, name: name)] = entry.new
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
