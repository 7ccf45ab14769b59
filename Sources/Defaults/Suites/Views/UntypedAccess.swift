import Foundation

/// Access by name, for names that are known only at run time and for code that comes from
/// `UserDefaults`: the same names, the same results for what is missing, and the same conversions
/// but for strings, which are numbers as a whole, with white space around them, or not at all ("5
/// apples" is 0, where `UserDefaults` takes it for 5).
///
/// All of it looks at the entry first, then at the registered defaults, then at those of keys. A
/// key is the better way wherever the name is known: it is checked by the compiler, and several
/// times faster.
extension Defaults.Suite {
  /// The stored value, else the registered default, else nil.
  public func object(forKey name: String) -> Defaults.PropertyListValue? {
    entry(named: name) ?? support.anyDefault(named: name)
  }

  /// A string, or a number as text; else nil.
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

  /// A number without its fraction, 1 or 0 of a bool, or the number that a string holds; else 0,
  /// also where `Int` can't hold it.
  public func integer(forKey name: String) -> Int {
    switch object(forKey: name) {
    case .integer(let value): Int(exactly: value) ?? 0
    case .real(let value): Int(exactly: value.rounded(.towardZero)) ?? 0
    case .bool(let value): value ? 1 : 0
    case .string(let value): Int(digits: value.withoutOuterSpace) ?? 0
    default: 0
    }
  }

  /// A number, 1 or 0 of a bool, or the number that a string holds; else 0.
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

  /// `double(forKey:)` rounded to a `Float`.
  public func float(forKey name: String) -> Float { Float(double(forKey: name)) }

  /// A bool, whether a number isn't 0, or whether a string is "true", "yes" or a number that isn't
  /// 0 (in any case); else false.
  public func bool(forKey name: String) -> Bool {
    switch object(forKey: name) {
    case .bool(let value): value
    case .string(let value) where ["true", "yes"].contains(value.withoutOuterSpace.lowercased()):
      true
    default: double(forKey: name) != 0
    }
  }

  /// Data; else nil.
  public func data(forKey name: String) -> Data? {
    if case .data(let value) = object(forKey: name) { value } else { nil }
  }

  /// A date; else nil.
  public func date(forKey name: String) -> Date? {
    if case .date(let value) = object(forKey: name) { value } else { nil }
  }

  /// An array of what `UserDefaults` would have in it; else nil.
  ///
  /// Cast it to what you expect: `suite.array(forKey: "sizes") as? [Int]`. ``object(forKey:)`` has
  /// the exact types of its elements.
  public func array(forKey name: String) -> [Any]? {
    guard case .array(let value) = object(forKey: name) else { return nil }
    return value.map(FoundationPropertyList.castable)
  }

  /// An array if it holds nothing but strings; else nil.
  public func stringArray(forKey name: String) -> [String]? {
    guard case .array(let array) = object(forKey: name) else { return nil }
    let strings = array.compactMap { if case .string(let value) = $0 { value } else { nil } }
    return strings.count == array.count ? strings : nil
  }

  /// A dictionary of what `UserDefaults` would have in it; else nil. Cast it to what you expect, as
  /// an array.
  public func dictionary(forKey name: String) -> [String: Any]? {
    guard case .dictionary(let value) = object(forKey: name) else { return nil }
    return value.mapValues(FoundationPropertyList.castable)
  }

  /// The URL that a string holds, as a file URL if it is an absolute path or begins with `~`; else
  /// nil.
  public func url(forKey name: String) -> URL? {
    guard case .string(let text) = object(forKey: name) else { return nil }
    if text.hasPrefix("/") { return URL(filePath: text) }
    if text.hasPrefix("~") { return URL(filePath: (text as NSString).expandingTildeInPath) }
    return URL(string: text)
  }

  /// Stores a value, or removes the entry for nil. Doesn't throw, since it has the name that
  /// `UserDefaults` gives it: a value that can't be stored exactly leaves the entry as it is and is
  /// reported as an issue. ``set(_:for:)`` throws.
  public func set(_ value: Defaults.PropertyListValue?, forKey name: String) {
    store(value.map(Edit.set) ?? .remove, forKey: name)
  }

  /// Stores a value of a type that has a bridge, or removes the entry for nil. Doesn't throw, since it
  /// has the name that `UserDefaults` gives it: a value that can't be stored exactly leaves the entry
  /// as it is and is reported as an issue. ``set(_:for:)`` throws.
  public func set<Value: Defaults.Serializable>(_ value: Value?, forKey name: String) {
    store(forKey: name) { () throws(Defaults.ConversionError) in
      guard let value else { return .remove }
      return try Value.bridge.edit(for: value)
    }
  }

  /// Stores a value whose type is known only at run time, or removes the entry for nil. Doesn't throw,
  /// since it has the name that `UserDefaults` gives it: a value that can't be stored exactly leaves
  /// the entry as it is and is reported as an issue.
  ///
  /// ``Defaults/PropertyListValue/init(converting:)`` says which types can be stored, and throws.
  @_disfavoredOverload
  public func set(_ value: Any?, forKey name: String) {
    store(forKey: name) { () throws(Defaults.ConversionError) in
      guard let value else { return .remove }
      return .set(try Defaults.PropertyListValue(converting: value))
    }
  }

  /// Registers values of any types as defaults. Doesn't throw, since it has the name that
  /// `UserDefaults` gives it: a value that has no property list form is left out and reported as an
  /// issue.
  ///
  /// See ``Defaults/PropertyListValue/init(converting:)`` for the types.
  @_disfavoredOverload
  public func register(defaults: [String: Any]) {
    var values: [String: Defaults.PropertyListValue] = [:]
    for (name, value) in defaults {
      do throws(Defaults.ConversionError) {
        values[name] = try Defaults.PropertyListValue(converting: value)
      } catch {
        support.report(
          SuiteError(
            .unencodable, "The default can't be registered: \(error.words)", key: name,
            underlying: error))
      }
    }
    register(defaults: values)
  }

  private func store(
    forKey name: String, _ edit: () throws(Defaults.ConversionError) -> Edit
  ) {
    do throws(Defaults.ConversionError) {
      store(try edit(), forKey: name)
    } catch {
      support.report(
        SuiteError(
          .unencodable, "The value can't be stored, the old one stays: \(error.words)", key: name,
          underlying: error))
    }
  }

  private func store(_ edit: Edit, forKey name: String) {
    do throws(SuiteError) {
      if let value = edit.entry { try check(value, named: name) }
      write(edit, named: name)
    } catch {
      support.report(error)
    }
  }

  /// Removes the entry, so that the name has its registered default again.
  public func removeObject(forKey name: String) { write(.remove, named: name) }

  /// All entries, and the defaults of all names without one.
  public func dictionaryRepresentation() -> [String: Defaults.PropertyListValue] {
    support.allRegisteredDefaults().merging(entries) { _, entry in entry }
  }

  /// Registers the entries of a property list file as defaults, such as one that a program ships.
  ///
  /// Throws `unreadable` if the file can't be read, or isn't there, and `malformed` if it isn't a
  /// property list with a dictionary at its top; nothing is registered then.
  public func register(defaultsFrom url: URL) throws(Defaults.SuiteError) {
    let file = try StoredFile(url: url)
    guard let content = try file.read() else {
      throw SuiteError(
        .unreadable, "There is no file with defaults here", suite: label, path: file.path)
    }
    do {
      register(defaults: try Defaults.PropertyListFormat.decode(content.data).entries)
    } catch {
      throw SuiteError(
        .malformed, "The file with defaults isn't a property list: \(error)", suite: label,
        path: file.path, underlying: error)
    }
  }

  /// Registers the property list of a bundle as defaults: `Defaults.plist`, or another name.
  ///
  /// ```swift
  /// try Defaults.standard.register(defaultsFrom: .main)
  /// ```
  ///
  /// They win over the defaults of keys and of the properties of a schema. Throws `unreadable` if
  /// the bundle has no such file, or it can't be read, and `malformed` if it isn't a property list
  /// with a dictionary at its top; nothing is registered then.
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
