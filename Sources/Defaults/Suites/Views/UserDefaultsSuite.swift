import Foundation

extension Defaults {
  /// A suite on Foundation's `UserDefaults`, for programs that must stay on it.
  ///
  /// Keys, transactions, observation and exact values work as with every suite, for changes that
  /// are made through this one. What `UserDefaults` can't do stays as it is:
  ///
  /// - Changes that other code makes on the `UserDefaults` object are seen by the next read, but
  ///   not observed.
  /// - Nothing is saved before ``flush()``, which is `synchronize()`, or whenever Foundation sees
  ///   fit (on Linux at no other time, not even at exit). It writes the file in place, so that a
  ///   crash can leave an empty one, and takes a damaged file for an empty one.
  /// - Two processes on one domain overwrite each other's changes.
  /// - The body of a transaction runs once, and the suite's other writers wait for it.
  /// - On Linux the file is XML. A value that XML loses (see ``PropertyListFormat/xml``: a date with
  ///   a fraction, text with a carriage return, `-0.0`) is stored as text, alone or as an element of
  ///   an array or dictionary: `Defaults.exact:`, and then the value as ``JSONFormat`` writes it. A
  ///   suite reads it back exactly. Other code that reads `UserDefaults` finds this text:
  ///   `Defaults.exact:{"$date":"2026-11-21T13:03:44.25Z"}`. A name that XML loses is stored so, too.
  /// - An entry is whatever `object(forKey:)` finds, so what was registered with Foundation, given
  ///   as an argument, or set for all programs counts as stored, and can't be removed. An object
  ///   that no property list holds is an issue, and counts as missing.
  /// - A read costs microseconds, and decodes each time; setting costs a copy of the domain on
  ///   Linux.
  public final class UserDefaultsSuite: Suite {
    /// Observers, registered defaults and issues; one for all suites on the same object.
    public var support: SuiteSupport { shared.support }

    /// What all suites on the same object have in common.
    private let shared: SharedUserDefaults

    private var writer: Lock<Void> { shared.writer }
    private var domain: Lock<SharedUserDefaults.Domain> { shared.domain }

    /// A suite on a `UserDefaults`. `onIssue` takes its issues in place of
    /// ``Defaults/issueHandler``.
    ///
    /// Suites on the same object are one suite: their keys are equal, and the observers of one are
    /// told what is set by the other. The first one's `onIssue` counts for as long as any of them
    /// is in use. Two objects for one domain, as `UserDefaults(suiteName:)` makes them, are two
    /// suites; keep one object.
    public init(_ userDefaults: UserDefaults, onIssue: (@Sendable (Issue) -> Void)? = nil) {
      shared = .of(userDefaults, onIssue: onIssue)
    }
  }
}

/// What is there once for an object of `UserDefaults`, however many suites are made of it.
private final class SharedUserDefaults: Sendable {
  /// Unchecked because Foundation says that `UserDefaults` may be used from several threads, and
  /// doesn't declare it; what the suite does with it happens under a lock besides.
  struct Domain: @unchecked Sendable {
    let userDefaults: UserDefaults
  }

  /// Those that are in use, by their objects, which they keep alive.
  private static let all = Lock([ObjectIdentifier: Weak<SharedUserDefaults>]())

  let support: Defaults.SuiteSupport
  /// Held while the body of a transaction runs, since the domain has no snapshots.
  let writer = Lock(())
  /// Held while a change is made and queued; taken after `writer`.
  let domain: Lock<Domain>
  private let identifier: ObjectIdentifier

  private init(_ domain: Domain, onIssue: (@Sendable (Defaults.Issue) -> Void)?) {
    support = Defaults.SuiteSupport(label: "UserDefaults", onIssue: onIssue)
    identifier = ObjectIdentifier(domain.userDefaults)
    self.domain = Lock(domain)
  }

  deinit {
    // Another one may have come since. It is let go of without the lock, which its own end takes.
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
  /// The names of all entries, in every domain that `UserDefaults` searches.
  public var names: Set<String> {
    domain.withLock { FoundationPropertyList.names(in: $0.userDefaults) }
  }

  /// What `object(forKey:)` finds for each of the names; not at one instant.
  public var entries: [String: Defaults.PropertyListValue] {
    var entries: [String: PropertyListValue] = [:]
    for name in names { entries[name] = entry(named: name) }
    return entries
  }

  /// What `object(forKey:)` finds.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    do throws(ConversionError) {
      return try domain.withLock { domain throws(ConversionError) in
        try FoundationPropertyList.object(in: domain.userDefaults, named: name)
      }
    } catch {
      support.report(
        SuiteError(
          .undecodable, "The object in UserDefaults isn't a property list: \(error)", key: name,
          underlying: error))
      return nil
    }
  }

  /// Runs the body on a draft and sets what it changed.
  ///
  /// The body runs once, and the other writers of this suite wait for it. Other processes don't, since
  /// `UserDefaults` has no lock. Throws what the body throws; inside of a transaction that holds the
  /// lock of another suite, `locked` if this suite isn't free within some seconds.
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) throws -> Result
  ) throws -> Result {
    TransactionScope.requireNone(of: shared, for: "written")
    let scope = TransactionScope(of: ObjectIdentifier(shared), label, isHoldingLock: true)
    defer { scope.end() }
    let outcome = try writer.withWriterLock(of: label) {
      Swift.Result {
        try scope.run {
          var draft = Defaults.Draft(of: self)
          let result = try body(&draft)
          commit(draft.edits)
          return result
        }
      }
    }
    support.deliver()
    return try outcome.get()
  }

  private func commit(_ edits: [String: Edit]) {
    var changed: [String: Defaults.Change.Entry] = [:]
    for (name, edit) in edits {
      let old = entry(named: name)
      if old != edit.entry { changed[name] = Defaults.Change.Entry(old: old, new: edit.entry) }
    }
    guard !changed.isEmpty else { return }
    domain.withLock { domain in
      for (name, entry) in changed {
        FoundationPropertyList.set(entry.new, in: domain.userDefaults, named: name)
        support.reporter.forgetIssues(about: name)
      }
      support.enqueue(Defaults.Change(changed))
    }
  }

  /// Observes names; see the protocol.
  public func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    // The first event would come when the transaction has ended, and not know what that changed.
    TransactionScope.requireNone(of: shared, for: "observed")
    // Nothing can change meanwhile, so that the observer's first event is what it begins with.
    let observation = domain.withLock { domain in
      support.observe(
        names, options: options,
        allNames: FoundationPropertyList.names(in: domain.userDefaults),
        // A read reports what is no property list.
        entry: { try? FoundationPropertyList.object(in: domain.userDefaults, named: $0) },
        handler)
    }
    support.deliver()
    return observation
  }

  /// On Apple platforms, throws for a NaN with a sign or payload, which no property list holds.
  public func validate(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    #if canImport(Darwin)
      try Defaults.PropertyListFormat.binary.validate(value, named: name)
    #endif
  }

  /// Calls `synchronize()`; throws `unwritable`, without a reason, if that says that it failed. On
  /// Linux it means all domains of the process, so it may have been another one that failed.
  public func flush() throws(Defaults.SuiteError) {
    TransactionScope.requireNone(of: shared, for: "flushed")
    guard domain.withLock({ $0.userDefaults.synchronize() }) else {
      throw SuiteError(
        .unwritable, "UserDefaults couldn't be synchronized; it doesn't say why", suite: label)
    }
  }
}
