/// A key whose type of value its observer doesn't know.
protocol FollowedKey {
  /// Stores the first value of a generated setting, and returns a function that returns whether a
  /// change changed the value, or only a problem appeared or disappeared; nil if the change has no
  /// effect on the key, such as when the new entry means the same value.
  func follow(in suite: any Defaults.Suite) -> @Sendable (Defaults.Change) -> Bool?
}

extension Defaults.Key: FollowedKey {
  func follow(in suite: any Defaults.Suite) -> @Sendable (Defaults.Change) -> Bool? {
    establishedEntry(in: suite)
    let events = KeyEvents(self, suite, [], .useDefault)
    return { [allNames] change in
      // A change may be about other keys only.
      guard change.isInitial || allNames.contains(where: { change.entries[$0] != nil }) else {
        return nil
      }
      return events.event(for: change).map { !$0.isSame }
    }
  }
}

extension [Defaults.AnyKey] {
  /// Stores the first values of generated settings, and returns a function that returns, for each
  /// key on which a change has an effect, whether its value changed. Call it for each change of the
  /// suite, the initial one first.
  func follow(in suite: any Defaults.Suite) -> @Sendable (Defaults.Change) -> [Bool] {
    let followers = compactMap { ($0 as? any FollowedKey)?.follow(in: suite) }
    // Each follower must receive each change.
    return { change in followers.compactMap { $0(change) } }
  }
}
