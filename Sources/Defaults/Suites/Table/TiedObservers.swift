import Synchronization

/// The observers of all suites that are tied to owners, some of which may have died.
///
/// In one list for the whole process, since the handler of a dead owner may retain a suite that the
/// program can't reach anymore.
enum TiedObservers {
  /// Weak, since an observer without a tie, or of a suite that was released, may go.
  private struct Member {
    weak var observer: Observer?
    weak var support: Defaults.SuiteSupport?
  }

  private static let list = Lock(SweptList<Member>())
  /// The number of members to examine next time.
  private static let due = Atomic(0)
  /// The observers to end. Releasing what they have captured runs any code, which may begin and tie
  /// observations.
  private static let dead = Mailbox<Observer>()

  static func add(_ observer: Observer, of support: Defaults.SuiteSupport) {
    // A thread of the parent may hold the lock.
    if Forking.isChild { return }
    list.withLock { list in
      guard !observer.isListed.exchange(true, ordering: .relaxed) else { return }
      list.append(Member(observer: observer, support: support))
    }
  }

  /// Records that an observation has begun, so that ``sweep()`` examines a few members.
  static func noteObservation() { due.wrappingAdd(SweptList<Member>.pace, ordering: .relaxed) }

  /// Examines ``SweptList/pace`` members for each observation that has begun since the last call,
  /// and ends the observers whose owners have died. Call this without any lock and outside of
  /// transactions.
  static func sweep() {
    if due.load(ordering: .relaxed) == 0 || Forking.isChild { return }
    // Released without the lock: each may be the last reference.
    var retained: [(Observer, Defaults.SuiteSupport?, owner: AnyObject?, isDead: Bool)] = []
    list.withLock { list in
      _ = list.sweep(due.exchange(0, ordering: .relaxed)) { member in
        guard let observer = member.observer else { return true }
        let (isTied, owner) = observer.tie
        retained.append((observer, member.support, owner, isDead: isTied && owner == nil))
        if owner == nil { observer.isListed.store(false, ordering: .relaxed) }
        return owner == nil
      }
    }
    for (observer, support, _, isDead) in retained where isDead {
      support?.remove([observer])
      dead.put(observer)
    }
    retained = []
    dead.deliver { $0.end() }
  }
}
