/// A key whose type of value its observer doesn't know.
protocol FollowedKey {
  /// Stores the first value of a generated setting, and returns a function that returns the effect
  /// of a change on the key; nil if there is none, such as when the new entry means the same value.
  func follow(in suite: any Defaults.Suite) -> @Sendable (Defaults.Change) -> KeyNews?
}

/// The effect of an entry's change on its key.
enum KeyNews {
  /// The value is the same as before: a problem appeared or disappeared.
  case problem
  case value
}

extension Defaults.Key: FollowedKey {
  func follow(in suite: any Defaults.Suite) -> @Sendable (Defaults.Change) -> KeyNews? {
    establishedEntry(in: suite)
    let events = KeyEvents(self, suite, [], .useDefault)
    return { [allNames] change in
      // A change may be about other keys only.
      guard change.isInitial || allNames.contains(where: { change.entries[$0] != nil }) else {
        return nil
      }
      return events.event(for: change).map { $0.isSame ? .problem : .value }
    }
  }
}

extension [Defaults.AnyKey] {
  /// Stores the first values of generated settings, and returns a function that returns the effects
  /// of a change on these keys. Call it for each change of the suite, the initial one first.
  func follow(in suite: any Defaults.Suite) -> @Sendable (Defaults.Change) -> [KeyNews] {
    let followers = compactMap { ($0 as? any FollowedKey)?.follow(in: suite) }
    // Each follower must receive each change.
    return { change in followers.compactMap { $0(change) } }
  }
}
