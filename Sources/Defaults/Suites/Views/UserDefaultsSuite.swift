import Foundation

extension Defaults {
  /// A suite on Foundation's `UserDefaults`, for programs that can't switch to another suite.
  ///
  /// For changes through this suite, keys, transactions, observation and exact values work as in
  /// every suite. The limitations of `UserDefaults` remain:
  ///
  /// - Changes by other code to the `UserDefaults` object are visible to the next read, but not
  ///   observed.
  /// - ``flush()`` saves changes by a call of `synchronize()`. On Apple platforms, Foundation also
  ///   saves them by itself; on Linux it never does, not even at exit. Saving writes the file in
  ///   place, so a crash can leave it empty, and a damaged file is read as empty.
  /// - Reads and changes wait for a running ``flush()``, and so for the disk.
  /// - Two processes on one domain overwrite each other's changes.
  /// - The body of a transaction runs once, and the suite's other writers wait for it.
  /// - On Linux the file is XML. A value or name that XML can't represent exactly (see
  ///   ``PropertyListFormat/xml``), alone or in a collection, is stored as text: `Defaults.exact:`
  ///   and JSON. Examples: dates with fractions, carriage returns, `-0.0`. A suite of this type
  ///   reads the text as the exact value. Other code that reads `UserDefaults` gets the text:
  ///   `Defaults.exact:{"$date":"2026-11-21T13:03:44.25Z"}`.
  /// - Every result of `object(forKey:)` is an entry. That includes arguments, global settings, and
  ///   defaults registered with Foundation; entries of these three kinds can't be removed. An
  ///   object that isn't a property list is reported as an issue and treated as missing.
  /// - On Linux, ``names`` and ``entries`` omit arguments and global settings, like Foundation's
  ///   `dictionaryRepresentation()`.
  /// - While a number replaces an equal number or boolean of another kind, such as 1.0 replaces
  ///   true, another thread may find no value for an instant: Foundation ignores such a set.
  /// - A read takes microseconds and always decodes. On Linux, a write copies the domain.
  public final class UserDefaultsSuite: Suite {
    /// The observers, registered defaults and issues, shared by all suites on the same object.
    public var support: SuiteSupport { shared.support }

    private let shared: SharedUserDefaults

    var writer: Lock<Void> { shared.writer }
    private var domain: Lock<SharedUserDefaults.Domain> { shared.domain }

    /// Creates a suite on a `UserDefaults` object.
    ///
    /// Suites on the same object are the same suite: their keys are equal and they share observers.
    /// The `onIssue` of the first suite applies as long as any of these suites is in use. Two
    /// objects for one domain, as created by `UserDefaults(suiteName:)`, are two suites, so keep
    /// one object.
    ///
    /// - Parameters:
    ///   - userDefaults: The object, which the suite retains.
    ///   - onIssue: Replaces ``Defaults/issueHandler`` for the suite's issues.
    public init(_ userDefaults: UserDefaults, onIssue: (@Sendable (Issue) -> Void)? = nil) {
      shared = .of(userDefaults, onIssue: onIssue)
    }
  }
}

extension Defaults.Suite where Self == Defaults.UserDefaultsSuite {
  /// Returns a suite on an object of Foundation's `UserDefaults`, for the `suite:` of a key.
  ///
  /// ```swift
  /// let isUnicorn = Defaults.Key("isUnicorn", default: true, suite: .userDefaults(.standard))
  /// ```
  public static func userDefaults(_ userDefaults: UserDefaults) -> Self {
    Defaults.UserDefaultsSuite(userDefaults)
  }
}

/// The state that all suites on one `UserDefaults` object share.
private final class SharedUserDefaults: Sendable {
  /// Unchecked, since Foundation documents that `UserDefaults` is thread-safe but doesn't declare
  /// it.
  struct Domain: @unchecked Sendable {
    let userDefaults: UserDefaults
  }

  /// The instances in use, by the objects that they retain.
  private static let all = Lock([ObjectIdentifier: Weak<SharedUserDefaults>]())

  let support: Defaults.SuiteSupport
  /// Held while the body of a transaction runs, since the domain has no snapshots.
  let writer = Lock(())
  /// Held while a change is made and queued, and while an observation begins. Taken after `writer`.
  /// Not taken by reads: Foundation calls observers of the object when it is set.
  let change = Lock(())
  /// Held by each read. On Linux, a read that is concurrent with the first read of a domain could
  /// otherwise find no entries, since Foundation publishes the domain's search list before it fills
  /// the list. A setter reads before it sets. Taken last.
  let domain: Lock<Domain>
  private let identifier: ObjectIdentifier

  private init(_ domain: Domain, onIssue: (@Sendable (Defaults.Issue) -> Void)?) {
    support = Defaults.SuiteSupport(label: "UserDefaults", onIssue: onIssue)
    identifier = ObjectIdentifier(domain.userDefaults)
    self.domain = Lock(domain)
  }

  deinit {
    // There may be a new instance by now. It is released without the lock, which its `deinit`
    // takes.
    let present = Self.all.withLock { all in
      let present = all[identifier]?.object
      if present == nil { all[identifier] = nil }
      return present
    }
    withExtendedLifetime(present) {}
  }

  static func of(
    _ userDefaults: UserDefaults, onIssue: (@Sendable (Defaults.Issue) -> Void)?
  ) -> SharedUserDefaults {
    let domain = Domain(userDefaults: userDefaults)
    return all.withLock { all in
      let identifier = ObjectIdentifier(domain.userDefaults)
      if let present = all[identifier]?.object { return present }
      let new = SharedUserDefaults(domain, onIssue: onIssue)
      all[identifier] = Weak(object: new)
      return new
    }
  }
}

extension Defaults.UserDefaultsSuite {
  /// The names of all entries in all domains that `UserDefaults` searches; on Linux, without the
  /// domains of arguments and global settings.
  public var names: Set<String> { domain.withLock { $0.userDefaults.entryNames } }

  /// The results of `object(forKey:)` for all names. They aren't read at one instant.
  public var entries: [String: Defaults.PropertyListValue] {
    var entries: [String: PropertyListValue] = [:]
    for name in names { entries[name] = entry(named: name) }
    return entries
  }

  /// Returns the result of `object(forKey:)`.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    do throws(ConversionError) {
      return try domain.withLock { domain throws(ConversionError) in
        try domain.userDefaults.entry(named: name)
      }
    } catch {
      support.report(
        SuiteError(
          .undecodable, "The object in UserDefaults isn't a property list: \(error)", key: name,
          underlying: error))
      return nil
    }
  }

  /// Runs the body on a draft and stores its changes.
  ///
  /// The body runs once, while the suite's other writers wait. Other processes don't wait, since
  /// `UserDefaults` has no lock.
  ///
  /// - Throws: The body's error. In a transaction that holds the lock of another suite, `locked` if
  ///   this suite is busy for several seconds.
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    TransactionScope.requireNone(of: shared, for: "written")
    let scope = TransactionScope(of: ObjectIdentifier(shared), label, isHoldingLock: true)
    defer { scope.end() }
    let setting = TransactionScope(of: setter, label, isHoldingLock: true)
    // After the lock was released, calls handlers of changes that code called by Foundation made.
    defer { setting.end() }
    func outcome() -> Swift.Result<Result, any Error> {
      Swift.Result {
        var draft = Defaults.Draft(of: self)
        let result = try scope.run { try body(&draft) }
        whileNothingChanges { setting.run { commit(draft.edits) } }
        return result
      }
    }
    let result = isSetting ? outcome() : try writer.withWriterLock(of: label) { outcome() }
    support.deliver()
    return try result.get()
  }

  /// Identifies the scope in which a thread sets values of the object. Code that Foundation calls
  /// meanwhile, such as a key-value observer, may use the suite, whose locks this thread holds.
  private var setter: ObjectIdentifier { ObjectIdentifier(support) }

  private var isSetting: Bool { TransactionScope.isInside(of: setter) }

  private func whileNothingChanges<Result>(_ body: () -> Result) -> Result {
    isSetting ? body() : shared.change.withLock { _ in body() }
  }

  private func commit(_ edits: [String: Edit]) {
    var changed: [String: Defaults.Change.Entry] = [:]
    for (name, edit) in edits {
      let old = entry(named: name)
      // An equal value of another domain, such as an argument's, may not apply in the next run.
      if old != edit.entry
        || old != nil && domain.withLock({ $0.userDefaults.hasSharedEntry(named: name) })
      {
        changed[name] = Defaults.Change.Entry(old: old, new: edit.entry)
      }
    }
    guard !changed.isEmpty else { return }
    let userDefaults = domain.withLock { $0 }.userDefaults
    for (name, entry) in changed {
      userDefaults.setEntry(entry.new, named: name)
      support.reporter.forgetIssues(about: name)
    }
    // Afterwards, since code that Foundation called may have changed an entry again.
    for (name, entry) in changed {
      // A registered default may apply now, or an argument of the program as before. An object that
      // isn't a property list reads as a missing entry.
      let new = try? userDefaults.entry(named: name)
      changed[name] = entry.old == new ? nil : Defaults.Change.Entry(old: entry.old, new: new)
    }
    if !changed.isEmpty { support.enqueue(Defaults.Change(changed)) }
  }

  /// Observes names; see the protocol.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    // The initial event would be delivered after the transaction, without its changes.
    TransactionScope.requireNone(of: shared, for: "observed")
    // Without changes, the initial event matches the start of observation.
    let observation = whileNothingChanges {
      domain.withLock { domain in
        support.observe(
          names, options: options, allNames: domain.userDefaults.entryNames,
          // Objects that aren't property lists are reported when they are read.
          entry: { try? domain.userDefaults.entry(named: $0) },
          handler)
      }
    }
    support.deliver()
    return observation
  }

  /// On Apple platforms, throws for a NaN with a sign or payload, which property lists can't
  /// represent.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    #if canImport(Darwin)
      try Defaults.PropertyListFormat.binary.validate(value, named: name)
    #endif
  }

  /// Calls `synchronize()`. Throws `unwritable`, without a reason, if that fails. On Linux, the
  /// call saves all domains of the process, so another domain may have caused the failure.
  public func flush() throws(Defaults.SuiteError) {
    TransactionScope.requireNone(of: shared, for: "flushed")
    // Not in the middle of another thread's change.
    let isDone = whileNothingChanges { domain.withLock { $0.userDefaults.synchronize() } }
    guard isDone else {
      throw SuiteError(
        .unwritable, "UserDefaults couldn't be synchronized and gives no reason", suite: label)
    }
  }
}
