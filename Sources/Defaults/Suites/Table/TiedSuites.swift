/// The suites of the process with observations that are or were tied to objects.
///
/// A suite removes the observers of released objects when it delivers or is observed. Without this
/// list, such an observer of a suite that isn't used again would retain what its handler captured,
/// and, if it observes a key, the suite. So each new observation also sweeps a few idle suites.
struct TiedSuites {
  private static let all = Lock(TiedSuites())

  private var supports = SweptList<Weak<Defaults.SuiteSupport>>()
  /// The number of suites to visit next time.
  private var due = 0
  /// Whether a thread is visiting suites.
  private var isVisiting = false

  /// Adds the support of a suite, once, at its first tie.
  static func add(_ support: Defaults.SuiteSupport) {
    all.withLock { $0.supports.append(Weak(object: support)) }
  }

  /// Visits the next suites in turn, and removes observers of released objects from those that are
  /// idle. Call this without any lock, since releasing captured objects may run any code.
  static func sweep(_ count: Int) {
    var next = all.withLock { $0.next(count) }
    if next.isEmpty { return }
    for support in next { support.removeDeadObserversIfIdle() }
    // Released without the lock: each may be the last reference.
    next = []
    all.withLock { $0.isVisiting = false }
  }

  /// Returns the suites to visit. There are none while a thread is visiting suites: releasing
  /// captured objects may register observers, and would otherwise start nested visits.
  private mutating func next(_ count: Int) -> [Defaults.SuiteSupport] {
    due = min(due + count, supports.elements.count)
    guard !isVisiting, due > 0 else { return [] }
    var next: [Defaults.SuiteSupport] = []
    _ = supports.sweep(due) { element in
      guard let support = element.object else { return true }
      next.append(support)
      return false
    }
    due = 0
    isVisiting = !next.isEmpty
    return next
  }
}
