/// The value that a setting gets when it is needed first, and then keeps.
@usableFromInline
final class InitialValue<Value: Sendable>: Sendable {
  private let compute: @Sendable () -> Value
  /// Computed, and not stored so far.
  private let pending = Lock(Value?.none)

  @usableFromInline
  init(_ compute: @escaping @Sendable () -> Value) {
    self.compute = compute
  }

  /// What is to be stored next; the same until something was.
  var candidate: Value {
    if let value = pending.withLock({ $0 }) { return value }
    // Outside of the lock: it may read other settings.
    let value = compute()
    return pending.withLock { pending in
      if let earlier = pending { return earlier }
      pending = value
      return value
    }
  }

  /// Something was stored; what follows a removal is computed anew.
  func isEstablished() {
    // The value that is replaced goes outside of the lock.
    _ = pending.withLock { pending -> Value? in
      defer { pending = nil }
      return pending
    }
  }
}

extension Defaults.Key {
  /// Stores the initial value of a key that has one, unless there is an entry.
  ///
  /// Of all threads and processes that come at once, one stores its value, and all find that. In a
  /// transaction nothing is stored, and beside one that takes its time neither: the next read does
  /// it.
  func establish(in suite: any Defaults.Suite) {
    guard case .initial(let initial) = fallback, suite.entry(of: self) == nil,
      suite.support.registeredDefault(named: name) == nil,
      !TransactionScope.isRunning,
      // A tenth of a second at most; setters and most transactions take microseconds.
      suite.stored?.writer.withLockIfFree(attempts: 100, { _ in }) != false
    else { return }
    let candidate = initial.candidate
    do throws(Defaults.SuiteError) {
      let edit = try encoded(candidate, in: suite)
      try suite.store(edit, of: self)
      if edit != .remove { initial.isEstablished() }
    } catch {
      suite.support.report(error)
    }
  }
}

extension Defaults.Suite {
  /// Stores the initial value of a key, unless somebody was faster. A read waits for it, so another
  /// process that has the lock isn't waited for longer than a setter waits.
  fileprivate func store<Value>(
    _ edit: Defaults.Edit, of key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) {
    func body(_ draft: inout Defaults.Draft) {
      if draft.entry(of: key) == nil { draft.write(edit, for: key) }
    }
    do {
      if let stored {
        try stored.transaction(within: .seconds(1), body)
      } else {
        try transaction(body)
      }
    } catch {
      throw Defaults.SuiteError(wrapping: error, .unwritable, suite: label)
    }
  }
}
