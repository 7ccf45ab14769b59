extension Defaults {
  /// A failure to convert a value to a property list, or to read a value from a property list or a
  /// file.
  public struct ConversionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem as a clause: "5.5 isn't a whole number".
    public var reason: String
    /// The path to the invalid part, from the outside in, such as `["[3]", "age"]`. Empty if the
    /// value itself is invalid.
    public var path: [String]
    /// The offset of the first invalid byte in the file, if it is known.
    public var offset: Int?
    /// Whether a structure lacks a field and no other problem was found.
    package var lacksField = false

    /// Creates an error about a value, the part of it at `path`, or the byte of a file at `offset`.
    ///
    /// A long reason, which quotes a long text, is shortened to its beginning and its end.
    public init(_ reason: String, path: [String] = [], offset: Int? = nil) {
      self.reason = Self.shortened(reason)
      self.path = path
      self.offset = offset
    }

    /// The path, the reason and the offset on one line: "[3].age: 5.5 isn't a whole number", "… at
    /// byte 57". Line breaks and other control characters are escaped, like `\u{A}`.
    @_documentation(visibility: internal)
    public var description: String {
      let place = offset.map { " at byte \($0)" } ?? ""
      let reason = escapedMessage(reason) + place
      guard !path.isEmpty else { return reason }
      return "\(path.map { escaped($0) }.joined(separator: ".")): \(reason)"
    }

    /// Returns a text in which "…" replaces the middle if it is long, so that a message about a
    /// stored text of many megabytes can be logged.
    private static func shortened(_ text: String) -> String {
      let scalars = text.unicodeScalars
      guard text.utf8.count > 1_000 else { return text }
      return "\(String(scalars.prefix(600)))…\(String(scalars.suffix(200)))"
    }

    @usableFromInline
    func at(_ component: String) -> Self {
      var error = self
      error.path.insert(component, at: 0)
      return error
    }

    /// Whether both errors have the same reason and place.
    @_documentation(visibility: internal)
    public static func == (left: Self, right: Self) -> Bool {
      left.reason == right.reason && left.path == right.path && left.offset == right.offset
    }

    /// Hashes the reason, the path and the offset.
    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) {
      hasher.combine(reason)
      hasher.combine(path)
      hasher.combine(offset)
    }

    /// Returns the error for a stored value of another kind than expected. It may have an example
    /// of an expected value in JSON, which people write and whose form they can't always guess.
    @usableFromInline
    static func mismatch(
      _ stored: PropertyListValue, expected: String, inJSON example: String? = nil
    ) -> Self {
      let hint = example.map { "; in JSON, write \($0)" } ?? ""
      return Self("it is \(stored.kind), and \(expected) was expected\(hint)")
    }

    /// The error for a value that a bridge or a closure rejects without a reason. Has no names of
    /// types, because users of a program see it.
    @usableFromInline
    static var withoutReason: Self { Self("the value isn't in the accepted form") }

    /// Returns the error for a number, or a number's text, that a type can't represent exactly.
    @usableFromInline
    static func inexact(_ number: some CustomStringConvertible, as type: String) -> Self {
      Self("\(number) isn't exactly representable as \(type)")
    }

    /// Returns the error for a value with too many levels.
    package static func tooDeep(_ name: String? = nil, at offset: Int? = nil) -> Self {
      let place = name.map { "\($0): " } ?? ""
      return Self(
        "\(place)the value has more than \(PropertyListValue.maximumDepth) levels", offset: offset)
    }

    /// Converts a part of a value, and adds the part's place to the path of an error.
    @inlinable
    static func locating<Result>(
      _ component: @autoclosure () -> String,
      _ body: () throws(ConversionError) -> Result
    ) throws(ConversionError) -> Result {
      do throws(ConversionError) { return try body() } catch { throw error.at(component()) }
    }
  }

  /// A failure of a suite to read, convert or store settings, with its place and a remedy.
  ///
  /// New versions may add codes, so switch over them with a default.
  public struct SuiteError: Error, Sendable, CustomStringConvertible {
    /// The kind of a problem.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
      /// The code's name, stable across versions.
      public let rawValue: String

      /// Creates a code with a name. A suite of your own may define further codes.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The code's name.
      @_documentation(visibility: internal)
      public var description: String { rawValue }

      /// A stored entry isn't a value of the key's type. It stays unchanged until it is written.
      public static let undecodable = Self(rawValue: "undecodable")
      /// A rule of the key rejects a value, or a text isn't a value of the key. The entry is
      /// unchanged.
      public static let invalid = Self(rawValue: "invalid")
      /// A required setting has no value.
      public static let missing = Self(rawValue: "missing")
      /// The file of a layer has a name that no key declares.
      public static let unknownName = Self(rawValue: "unknownName")
      /// Two keys with the same name and suite differ in type or rules, only one of the keys is
      /// secret, or one key's name is a previous name of another. Or a layer has one setting twice,
      /// or uses one name for two settings.
      public static let conflictingDeclarations = Self(rawValue: "conflictingDeclarations")
      /// Secret settings were left out of an export.
      public static let secretsLeftOut = Self(rawValue: "secretsLeftOut")
      /// A value has no property list form. The previous value was kept.
      public static let unencodable = Self(rawValue: "unencodable")
      /// The suite can't store a value exactly, or can't store it at all. The previous value was
      /// kept.
      public static let unrepresentable = Self(rawValue: "unrepresentable")
      /// A path can't be read, or leads to the wrong kind of file. Nothing is changed.
      public static let unreadable = Self(rawValue: "unreadable")
      /// The content of a file, journal, line or import is damaged, or isn't in the expected
      /// format.
      public static let malformed = Self(rawValue: "malformed")
      /// A file or folder can't be written. Plain sets are kept in memory; a change that depends on
      /// stored settings isn't made.
      public static let unwritable = Self(rawValue: "unwritable")
      /// The name or the environment doesn't determine a location for the file.
      public static let noLocation = Self(rawValue: "noLocation")
      /// A damaged file was quarantined: kept under another name. The suite uses the entries of the
      /// journal, or starts empty without a journal.
      public static let quarantined = Self(rawValue: "quarantined")
      /// Another process doesn't release the lock of the file, or two threads wait for each other's
      /// transactions. A set is kept in memory; an update or transaction isn't made.
      public static let locked = Self(rawValue: "locked")
      /// Other users can change the file or its folder.
      public static let insecurePermissions = Self(rawValue: "insecurePermissions")
      /// The system can't report changes by other processes. Meanwhile, the suite checks for
      /// changes twice a second.
      public static let fileWatchingUnavailable = Self(rawValue: "fileWatchingUnavailable")
      /// The process was forked without `exec`. A suite that was open has the values that the
      /// parent process had in memory. The forked process can't change stored settings.
      public static let forked = Self(rawValue: "forked")
      /// The suite works in memory only; changes are lost when the process ends.
      public static let inMemory = Self(rawValue: "inMemory")
      /// The server that stores the settings, or the shared folder of a sync, can't be reached.
      /// Nothing was changed.
      public static let unreachable = Self(rawValue: "unreachable")
      /// Other writers changed the same entries during each attempt. Nothing was changed.
      public static let tooManyConflicts = Self(rawValue: "tooManyConflicts")
      /// The server's answer was lost. The change may have been made.
      public static let unconfirmed = Self(rawValue: "unconfirmed")
      /// The server denies access: the password is wrong or permissions are missing.
      public static let denied = Self(rawValue: "denied")
    }

    /// The kind of the problem.
    public var code: Code
    /// The problem and the remedy, in one or two sentences without a final period.
    public var reason: String
    /// The suite's label: a path or a name.
    public var suite: String?
    /// The name of the key, if the error is about a key.
    public var key: String?
    /// The path of the file or folder, if the error is about a file or folder.
    public var path: String?
    /// The error that caused this error.
    public var underlying: (any Error)?

    /// Creates an error. A suite fills in its label when it passes the error on.
    public init(
      _ code: Code, _ reason: String, suite: String? = nil, key: String? = nil,
      path: String? = nil, underlying: (any Error)? = nil
    ) {
      self.code = code
      self.reason = reason
      self.suite = suite
      self.key = key
      self.path = path
      self.underlying = underlying
    }

    /// The suite or path, the key and the reason on one line. Line breaks and other control
    /// characters are escaped, like `\u{A}`; the properties keep them.
    @_documentation(visibility: internal)
    public var description: String {
      let place = (path ?? suite).map { escaped($0) }
      let parts = [place, key.map { "\"\(escaped($0))\"" }, escapedMessage(reason)].compactMap(
        \.self)
      return parts.filter { !$0.isEmpty }.joined(separator: ": ")
    }
  }
}

extension Error {
  /// The text of any error. A case of an enum without a description is prefixed with its type.
  package var words: String {
    let words = "\(self)"
    if words.isEmpty { return "\(type(of: self))" }
    guard !((self as Any) is any CustomStringConvertible),
      Mirror(reflecting: self).displayStyle == .enum
    else { return words }
    return "\(type(of: self)).\(words)"
  }
}

extension Defaults.SuiteError {
  /// Creates a suite's error from an error of its store. A `SuiteError` only gets the suite's label
  /// if it has none.
  package init(wrapping error: any Error, _ code: Code, suite: String) {
    if let error = error as? Self {
      self = error
      self.suite = error.suite ?? suite
    } else {
      self.init(code, error.words, suite: suite, underlying: error)
    }
  }

  /// Creates an error about a value of a key, without the details of a secret: the error of the
  /// conversion may contain the value.
  init(
    _ code: Code, _ reason: String, _ error: ConversionError, suite: String? = nil, key: String,
    isSecret: Bool
  ) {
    self.init(
      code, isSecret ? "\(reason); the details are redacted" : "\(reason): \(error.words)",
      suite: suite, key: key, underlying: isSecret ? nil : error)
  }

  /// Returns the error with a key, and with a suite if it has none.
  func about(key: String, suite: String) -> Self {
    var error = self
    error.key = key
    error.suite = error.suite ?? suite
    return error
  }

  /// Returns the error with the path of a file if it has none.
  func about(path: String?) -> Self {
    var error = self
    error.path = error.path ?? path
    return error
  }
}

// MARK: - Short names inside the package

package typealias SuiteError = Defaults.SuiteError
package typealias ConversionError = Defaults.ConversionError
package typealias PropertyListValue = Defaults.PropertyListValue
package typealias Edit = Defaults.Edit
