/// Typed preferences: keys that are declared once, read and written by subscript, observed, and
/// kept.
///
/// ```swift
/// extension Defaults.Keys {
///   static let quality = Key<Double>("quality", default: 0.8)
/// }
///
/// Defaults[.quality] += 0.1
/// ```
public enum Defaults {
  /// The value of a key, in the key's own suite.
  ///
  /// Getting never fails and, when the value was read before, takes no lock: an entry that doesn't
  /// decode gives the default, and an issue is reported. A value that can't be stored leaves the
  /// old one in place and reports an issue. ``value(for:)`` and ``set(_:for:)`` throw instead.
  @inlinable
  public static subscript<Value>(key: Key<Value>) -> Value {
    get { key.current }
    set { key.suite[key] = newValue }
  }

  /// The value of a key; throws `undecodable` if the stored entry isn't a value of its type.
  public static func value<Value>(for key: Key<Value>) throws(SuiteError) -> Value {
    try key.suite.value(for: key)
  }

  /// Sets the value of a key; throws `unencodable` or `unrepresentable` if it can't be stored, and
  /// leaves the entry as it was.
  public static func set<Value>(_ value: Value, for key: Key<Value>) throws(SuiteError) {
    try key.suite.set(value, for: key)
  }

  /// Changes the value of a key in one atomic step, by a body that runs again if it is overtaken, and
  /// returns what the body returns.
  ///
  /// The update is made on what is committed in every process, or not at all. What prevents that is an
  /// issue, and nil is returned; ``Suite/update(_:_:)`` throws it instead. The setting stays as it is
  /// then, as it does if the body throws. The body may run several times, so it must have no other
  /// effects. It must not set other keys of the suite, which traps: a ``Suite/transaction(_:)`` sets
  /// several.
  ///
  /// ```swift
  /// Defaults.update(.launchCount) { $0 += 1 }
  /// ```
  @discardableResult
  public static func update<Value, Result, Failure: Error>(
    _ key: Key<Value>, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let suite = key.suite
    do {
      return try suite.update(key) { value in
        do throws(Failure) {
          return try body(&value)
        } catch {
          throw BodyFailure(error: error)
        }
      }
    } catch let failure as BodyFailure<Failure> {
      throw failure.error
    } catch {
      suite.support.report(
        SuiteError(wrapping: error, .unwritable, suite: suite.label)
          .about(key: key.name, suite: suite.label))
      return nil
    }
  }

  /// An error of a program's closure, which is told from those of the suite.
  private struct BodyFailure<Failure: Error>: Error {
    let error: Failure
  }

  /// Removes the entries of keys, so that they have their default values again; one transaction for
  /// each suite among them.
  public static func reset(_ keys: AnyKey...) {
    reset(keys)
  }

  /// Removes the entries of keys, so that they have their default values again; one transaction for
  /// each suite among them.
  public static func reset(_ keys: [AnyKey]) {
    AnyKey.reset(keys)
  }

  /// Removes the entries of keys from another suite than their own, in one transaction.
  public static func reset(_ keys: AnyKey..., suite: some Suite) {
    suite.reset(keys)
  }

  /// Removes the entries of these names from a suite, in one transaction.
  public static func reset(_ names: String..., suite: some Suite = .standard) {
    suite.write { draft in
      for name in names { draft.removeEntry(named: name) }
    }
  }

  /// Removes all entries of a suite, in one transaction. Registered defaults stay.
  public static func removeAll(suite: some Suite = .standard) {
    suite.removeAll()
  }
}

// MARK: - Names outside of the namespace

/// The namespace under a name that the module's own doesn't hide: `Defaults` is both.
public typealias _Defaults = Defaults
/// The name of ``Defaults/Serializable`` in the documentation of the libraries before this one.
public typealias DefaultsSerializable = Defaults.Serializable
/// The name of ``Defaults/Bridge`` in the documentation of the libraries before this one.
public typealias DefaultsBridge = Defaults.Bridge
/// The name of ``Defaults/CollectionSerializable`` in the documentation of the libraries before
/// this one.
public typealias DefaultsCollectionSerializable = Defaults.CollectionSerializable
/// The name of ``Defaults/SetAlgebraSerializable`` in the documentation of the libraries before
/// this one.
public typealias DefaultsSetAlgebraSerializable = Defaults.SetAlgebraSerializable
/// The name of ``Defaults/Observation`` in the documentation of the libraries before this one.
public typealias DefaultsObservation = Defaults.Observation
