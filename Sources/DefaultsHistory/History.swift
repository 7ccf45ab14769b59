import Defaults
import Foundation

extension Defaults {
  /// An earlier change of a setting; see ``Suite/history()``.
  public struct PastChange: Sendable, Hashable {
    /// The name of the setting.
    public let name: String
    /// The time of the change, which all changes of one transaction share.
    public let date: Date
    /// The program that made the change; nil if it is unknown, or for an edit of the file.
    public let program: String?
    /// The origin of the change; see ``Defaults/withOrigin(_:_:)``.
    public let origin: String?
    /// Whether the setting is secret. If it is, ``old`` and ``new`` are nil.
    public let isSecret: Bool
    /// The entry before the change; nil if there was none, and for a secret.
    public let old: PropertyListValue?
    /// The entry after the change; nil if there is none, and for a secret.
    public let new: PropertyListValue?
  }

  /// An earlier change of a setting, as values of its key; see ``Suite/history(of:)``.
  public struct PastValue<Value: Sendable>: Sendable {
    /// The change, with its date, program and origin.
    public let change: PastChange
    /// The value before the change. The default if there was no entry, and for a secret. A setting
    /// that is required or generated once has no default; its `oldValue` is then ``newValue``.
    public let oldValue: Value
    /// The value after the change. The default if there is no entry, and for a secret. A setting
    /// that is required or generated once has no default; its `newValue` is then ``oldValue``.
    public let newValue: Value
    /// The reason why one of the values is the default: its entry doesn't decode.
    public let error: SuiteError?
  }
}

extension Defaults.Suite {
  /// Returns the latest changes of all settings by all programs, oldest first.
  ///
  /// The journal has all changes since it was last rewritten. Of the changes before the rewrite, it
  /// has at most the latest 1,000, and at most 64 KiB of them. A transaction that doesn't fit into
  /// these limits is left out, with all changes before it. A change that waits in memory isn't
  /// included.
  ///
  /// The result is empty if ``Defaults/PropertyListSuite/keepsHistory`` is false. It is also empty
  /// for a suite that is neither a ``Defaults/PropertyListSuite`` nor has one as its writable
  /// layer.
  ///
  /// - Complexity: Linear in the size of the journal, which it reads.
  /// - Throws: `unreadable` if the journal can't be read, `unsupportedLog` for a journal of a newer
  ///   version of the library.
  public func history() throws(Defaults.SuiteError) -> [Defaults.PastChange] {
    guard Defaults.PropertyListSuite.keepsHistory,
      let past = try writable.stored?.pastChanges()
    else { return [] }
    return past.all.map { Defaults.PastChange($0, isSecret: past.isSecret($0)) }
  }

  /// Returns the latest changes of a setting, also under its previous names; see ``history()``.
  ///
  /// A change without a value to show is left out: of a secret that is required or generated once.
  ///
  /// ```swift
  /// for past in try suite.history(of: .volume) {
  ///   print(past.change.date, past.oldValue, past.newValue)
  /// }
  /// ```
  public func history<Value>(
    of key: Defaults.Key<Value>
  ) throws(Defaults.SuiteError) -> [Defaults.PastValue<Value>] {
    key.introduce(to: self)
    let names = Set(key.allNames.map { stored?.storedName(of: $0) ?? $0 })
    return try history().filter { names.contains($0.name) }.compactMap { change in
      // Without a default, the other value replaces a missing value.
      let hasDefault = !key.isRequired && !key.isGeneratedOnce
      func value(_ entry: Defaults.PropertyListValue?) -> (
        value: Value, problem: Defaults.SuiteError?
      )? {
        entry == nil && !hasDefault ? nil : key.knownValue(ofEntry: entry, in: self)
      }
      let (old, new) = (value(change.old), value(change.new))
      guard let known = new ?? old else { return nil }
      return Defaults.PastValue(
        change: change, oldValue: (old ?? known).value, newValue: (new ?? known).value,
        error: new?.problem ?? old?.problem)
    }
  }
}

extension Defaults.PastChange {
  fileprivate init(_ change: LogRecord.PastChange, isSecret: Bool) {
    name = change.name
    date = Date(timeIntervalSince1970: Double(change.version.microseconds) / 1e6)
    program = change.source.program.isEmpty ? nil : change.source.program
    origin = change.source.origin.isEmpty ? nil : change.source.origin
    self.isSecret = isSecret
    (old, new) = isSecret ? (nil, nil) : (change.old.entry, change.new.entry)
  }
}
