import Synchronization

/// The closures that a source calls when its content may have changed.
final class SourceObservers: Sendable {
  private let closures = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

  /// Calls the closure at each change until the result is released.
  func add(_ changed: @escaping @Sendable () -> Void) -> any Sendable {
    let token = Token(observers: self)
    closures.withLock { $0[ObjectIdentifier(token)] = changed }
    return token
  }

  func tell() { for changed in closures.withLock({ $0.values }) { changed() } }

  /// Ends an observation when it is released.
  private final class Token: Sendable {
    let observers: SourceObservers

    init(observers: SourceObservers) { self.observers = observers }

    deinit {
      let closure = observers.closures.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
      withExtendedLifetime(closure) {}
    }
  }
}
