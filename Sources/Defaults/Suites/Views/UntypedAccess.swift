import Foundation

/// Access by name, for names that are known only at run time and for code that is ported from
/// `UserDefaults`. The methods have the names, the conversions and the results for missing entries
/// that `UserDefaults` has, with two exceptions. A string is converted as a whole, where
/// `UserDefaults` reads its beginning: "5 apples" is 0 instead of 5, and "y" is false instead of
/// true. A number outside of the range of `Int` is read as the integer 0.
///
/// The rules of a key don't apply to a value that is set by name; a key whose rule rejects the
/// value reads its default.
///
/// Each read uses the entry. Without an entry, it uses the registered default or, without that, the
/// default of a key. Prefer keys where the name is known: they are type-safe and several times
/// faster.
extension Defaults.Suite {
  /// Returns the stored value or, without an entry, the registered default or the default of a key;
  /// otherwise nil.
  public func object(forKey name: String) -> Defaults.PropertyListValue? {
    entry(named: name) ?? support.anyDefault(named: name)
  }

  /// Returns a string, or a number as text; nil for any other entry.
  public func string(forKey name: String) -> String? {
    switch object(forKey: name) {
    case .string(let value): value
    case .integer(let value): "\(value)"
    case .unsignedInteger(let value): "\(value)"
    case .real(let value): "\(value)"
    case .bool(let value): value ? "1" : "0"
    default: nil
    }
  }

  /// Returns a number without its fraction, a bool as 1 or 0, or the number in a string; 0 for any
  /// other entry and for a number outside of the range of `Int`.
  public func integer(forKey name: String) -> Int {
    switch object(forKey: name) {
    case .integer(let value): Int(exactly: value) ?? 0
    case .unsignedInteger(let value): Int(exactly: value) ?? 0
    case .real(let value): Int(exactly: value.rounded(.towardZero)) ?? 0
    case .bool(let value): value ? 1 : 0
    case .string(let value): Int(digits: value.withoutOuterSpace) ?? 0
    default: 0
    }
  }

  /// Returns a number, a bool as 1 or 0, or the number in a string; 0 for any other entry.
  public func double(forKey name: String) -> Double {
    switch object(forKey: name) {
    case .integer(let value): Double(value)
    case .unsignedInteger(let value): Double(value)
    case .real(let value): value
    case .bool(let value): value ? 1 : 0
    case .string(let value): Double(value.withoutOuterSpace) ?? 0
    default: 0
    }
  }

  /// Returns `double(forKey:)` rounded to a `Float`.
  public func float(forKey name: String) -> Float { Float(double(forKey: name)) }

  /// Returns a bool. A number other than 0, that number as text, and the strings "true" and "yes"
  /// in any letter case are true. Any other entry is false.
  public func bool(forKey name: String) -> Bool {
    switch object(forKey: name) {
    case .bool(let value): value
    case .string(let value) where ["true", "yes"].contains(value.withoutOuterSpace.lowercased()):
      true
    default: double(forKey: name) != 0
    }
  }

  /// Returns data; nil for any other entry.
  public func data(forKey name: String) -> Data? {
    if case .data(let value) = object(forKey: name) { value } else { nil }
  }

  /// Returns a date; nil for any other entry.
  public func date(forKey name: String) -> Date? {
    if case .date(let value) = object(forKey: name) { value } else { nil }
  }

  /// Returns an array with the elements that `UserDefaults` would have; nil for any other entry.
  ///
  /// Cast it to the expected type: `suite.array(forKey: "sizes") as? [Int]`. ``object(forKey:)``
  /// has the exact types of the elements.
  public func array(forKey name: String) -> [Any]? {
    guard case .array(let value) = object(forKey: name) else { return nil }
    return value.map(FoundationPropertyList.castable)
  }

  /// Returns an array that contains only strings; nil for any other entry.
  public func stringArray(forKey name: String) -> [String]? {
    guard case .array(let array) = object(forKey: name) else { return nil }
    let strings = array.compactMap { if case .string(let value) = $0 { value } else { nil } }
    return strings.count == array.count ? strings : nil
  }

  /// Returns a dictionary with the values that `UserDefaults` would have; nil for any other entry.
  /// Cast the result to the expected type, as with ``array(forKey:)``.
  public func dictionary(forKey name: String) -> [String: Any]? {
    guard case .dictionary(let value) = object(forKey: name) else { return nil }
    return value.mapValues(FoundationPropertyList.castable)
  }

  /// Returns the URL in a string; nil for any other entry. An absolute path, or a path that begins
  /// with `~`, becomes a file URL.
  public func url(forKey name: String) -> URL? {
    guard case .string(let text) = object(forKey: name) else { return nil }
    if text.hasPrefix("/") { return URL(filePath: text) }
    if text.hasPrefix("~") { return URL(filePath: (text as NSString).expandingTildeInPath) }
    return URL(string: text)
  }

  /// Stores a value, or removes the entry for nil. If the value can't be stored exactly, the entry
  /// is unchanged and an issue is reported; ``set(_:for:)`` throws instead.
  public func set(_ value: Defaults.PropertyListValue?, forKey name: String) {
    store(forKey: name) { value.map(Edit.set) ?? .remove }
  }

  /// Stores a value of a type with a bridge, or removes the entry for nil. If the value can't be
  /// stored exactly, the entry is unchanged and an issue is reported; ``set(_:for:)`` throws
  /// instead.
  public func set<Value: Defaults.Serializable>(_ value: Value?, forKey name: String) {
    store(forKey: name) { () throws(ConversionError) in
      guard let value else { return .remove }
      return try Value.bridge.edit(for: value)
    }
  }

  /// Stores a value whose type is known only at run time, or removes the entry for nil. If the
  /// value can't be stored exactly, the entry is unchanged and an issue is reported.
  ///
  /// See ``Defaults/PropertyListValue/init(converting:)``, which throws, for the types.
  @_disfavoredOverload
  public func set(_ value: Any?, forKey name: String) {
    store(forKey: name) { () throws(ConversionError) in
      guard let value else { return .remove }
      return .set(try PropertyListValue(converting: value))
    }
  }

  /// Registers values of any types as defaults. Values without a property list form are skipped and
  /// reported as issues.
  ///
  /// See ``Defaults/PropertyListValue/init(converting:)`` for the types.
  @_disfavoredOverload
  public func register(defaults: [String: Any]) {
    var values: [String: PropertyListValue] = [:]
    for (name, value) in defaults {
      do throws(ConversionError) {
        values[name] = try PropertyListValue(converting: value)
      } catch {
        report(error, of: name, "The default can't be registered")
      }
    }
    register(defaults: values)
  }

  private func store(forKey name: String, _ edit: () throws(ConversionError) -> Edit) {
    do throws(ConversionError) {
      let edit = try edit()
      support.reporting { () throws(SuiteError) in
        if let value = edit.entry { try check(value, named: name) }
        write(edit, named: name)
      }
    } catch {
      report(error, of: name, "The value can't be stored; the previous value was kept")
    }
  }

  private func report(_ error: ConversionError, of name: String, _ reason: String) {
    support.report(
      SuiteError(.unencodable, reason, error, key: name, isSecret: support.isSecret(name)))
  }

  /// Removes the entry, which resets the name to its default.
  public func removeObject(forKey name: String) { write(.remove, named: name) }

  /// Returns all entries, and the defaults of all names without an entry.
  public func dictionaryRepresentation() -> [String: Defaults.PropertyListValue] {
    support.allRegisteredDefaults().merging(entries) { _, entry in entry }
  }

  /// Registers the entries of a property list file, such as one that ships with the program, as
  /// defaults.
  ///
  /// - Throws: `unreadable` if the file can't be read or doesn't exist, `malformed` if it isn't a
  ///   property list with a dictionary at the top. Nothing is registered then.
  public func register(defaultsFrom url: URL) throws(Defaults.SuiteError) {
    let file = try StoredFile(url: url)
    guard let content = try file.read() else {
      throw SuiteError(
        .unreadable, "There is no file with defaults at this path", suite: label, path: file.path)
    }
    do {
      register(defaults: try Defaults.PropertyListFormat.decode(content.data).entries)
    } catch {
      throw SuiteError(
        .malformed, "The file with defaults isn't a property list: \(error)", suite: label,
        path: file.path, underlying: error)
    }
  }

  /// Registers the property list of a bundle, by default `Defaults.plist`, as defaults.
  ///
  /// ```swift
  /// try Defaults.standard.register(defaultsFrom: .main)
  /// ```
  ///
  /// These values override the defaults of keys and of the properties of a schema.
  ///
  /// - Throws: `unreadable` if the bundle has no such file or it can't be read, `malformed` if it
  ///   isn't a property list with a dictionary at the top. Nothing is registered then.
  public func register(
    defaultsFrom bundle: Bundle, resource name: String = "Defaults"
  ) throws(Defaults.SuiteError) {
    guard let url = bundle.url(forResource: name, withExtension: "plist") else {
      throw SuiteError(
        .unreadable, "The bundle has no resource \(name).plist", suite: label,
        path: bundle.bundlePath)
    }
    try register(defaultsFrom: url)
  }
}
