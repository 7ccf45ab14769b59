extension Defaults {
  /// Why a value couldn't be turned into a property list, or a property list or the bytes of a file
  /// into a value; and where.
  public struct ConversionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in a clause: "5.5 isn't a whole number".
    public var reason: String
    /// Where in the value, from the outside in: `["[3]", "age"]`; empty for the value itself.
    public var path: [String]
    /// The offset of the first wrong byte from the start of a file, where one can be named.
    public var offset: Int?
    /// Whether a structure lacks a field, and nothing else was found to be wrong so far.
    package var lacksField = false

    /// An error about a value, about the part of it that `path` leads to, or about a byte of a file.
    public init(_ reason: String, path: [String] = [], offset: Int? = nil) {
      self.reason = reason
      self.path = path
      self.offset = offset
    }

    /// The reason, after the path if there is one: "[3].age: 5.5 isn't a whole number"; and before
    /// the offset: "… at byte 57". It is one line: a line break and other control characters are escaped, like `\u{A}`.
    @_documentation(visibility: internal)
    public var description: String {
      let place = offset.map { " at byte \($0)" } ?? ""
      let reason = escapedMessage(reason) + place
      guard !path.isEmpty else { return reason }
      return "\(path.map { escaped($0) }.joined(separator: ".")): \(reason)"
    }

    /// The same error, one level further out.
    @usableFromInline
    func at(_ component: String) -> Self {
      var error = self
      error.path.insert(component, at: 0)
      return error
    }

    /// Whether two errors say the same of the same place.
    @_documentation(visibility: internal)
    public static func == (left: Self, right: Self) -> Bool {
      left.reason == right.reason && left.path == right.path && left.offset == right.offset
    }

    /// Feeds reason and path to the hasher.
    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) {
      hasher.combine(reason)
      hasher.combine(path)
      hasher.combine(offset)
    }

    /// A stored value is of another kind than the reader expects.
    @usableFromInline
    static func mismatch(_ stored: PropertyListValue, expected: String) -> Self {
      Self("it is \(stored.kind), and \(expected) was expected")
    }

    /// A stored number, or text that stands for one, can't be the expected type without a change.
    @usableFromInline
    static func inexact(_ number: some CustomStringConvertible, as type: String) -> Self {
      Self("\(number) isn't exactly representable as \(type)")
    }

    /// Runs the conversion of a part; an error comes out with the part's place in its path.
    @inlinable
    static func locating<Result>(
      _ component: @autoclosure () -> String,
      _ body: () throws(ConversionError) -> Result
    ) throws(ConversionError) -> Result {
      do throws(ConversionError) { return try body() } catch { throw error.at(component()) }
    }
  }
}

extension Defaults {
  /// Why a suite couldn't read, write or keep something: what, where, and what to do about it.
  ///
  /// New codes may come in any version, so switch over them with a default.
  public struct SuiteError: Error, Sendable, CustomStringConvertible {
    /// What kind of problem it is.
    public struct Code: RawRepresentable, Hashable, Sendable {
      /// The code's name, stable across versions.
      public let rawValue: String

      /// A code of this name; a suite of your own may add to those below.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// A stored entry isn't a value of the key's type; it stays as it is until it is written.
      public static let undecodable = Self(rawValue: "undecodable")
      /// A rule of the key doesn't allow a value, or a text isn't one of its values; the entry
      /// stays as it is.
      public static let invalid = Self(rawValue: "invalid")
      /// Two keys of one name and suite have different types or rules, or one of them is secret.
      public static let conflictingDeclarations = Self(rawValue: "conflictingDeclarations")
      /// Secret settings were left out of an export.
      public static let secretsLeftOut = Self(rawValue: "secretsLeftOut")
      /// A value has no property list form; the old entry stays.
      public static let unencodable = Self(rawValue: "unencodable")
      /// The suite can't store a property list exactly, or at all; the old entry stays.
      public static let unrepresentable = Self(rawValue: "unrepresentable")
      /// A file or folder can't be read, or isn't one; it is left alone.
      public static let unreadable = Self(rawValue: "unreadable")
      /// A file's content isn't a property list with a dictionary at its top.
      public static let malformed = Self(rawValue: "malformed")
      /// A file or folder can't be written. Memory keeps plain sets; a change that depends on stored
      /// settings isn't made.
      public static let unwritable = Self(rawValue: "unwritable")
      /// There is no place for the file: the name or the environment doesn't give one.
      public static let noLocation = Self(rawValue: "noLocation")
      /// A damaged file was moved aside, and the suite started without it.
      public static let quarantined = Self(rawValue: "quarantined")
      /// Another process doesn't release the lock of the file: a set is kept in memory, and an update or
      /// transaction isn't made. Or two threads whose transactions hold locks wait for each other.
      public static let locked = Self(rawValue: "locked")
      /// Others can change the file, or the folder that it is in.
      public static let insecurePermissions = Self(rawValue: "insecurePermissions")
      /// The system gives no notice of what other processes change. The suite looks twice a second
      /// until it does.
      public static let fileWatchingUnavailable = Self(rawValue: "fileWatchingUnavailable")
      /// The process was forked without an exec: it reads what its parent had in memory, and changes
      /// nothing.
      public static let forked = Self(rawValue: "forked")
      /// The suite works in memory only; nothing of this run will be kept.
      public static let inMemory = Self(rawValue: "inMemory")
      /// The server that keeps the settings can't be reached; nothing was changed.
      public static let unreachable = Self(rawValue: "unreachable")
      /// Others changed what a change depends on, more often than it was tried again; nothing was
      /// changed.
      public static let tooManyConflicts = Self(rawValue: "tooManyConflicts")
      /// The server's answer was lost, and it couldn't be found out whether it made the change.
      public static let unconfirmed = Self(rawValue: "unconfirmed")
      /// The server doesn't allow it: a wrong password, or too few rights.
      public static let denied = Self(rawValue: "denied")
    }

    /// What kind of problem it is.
    public var code: Code
    /// What is wrong and what to do, in a sentence or two without a final full stop.
    public var reason: String
    /// The suite's label: a path or a name.
    public var suite: String?
    /// The name of the key that it is about.
    public var key: String?
    /// The file or folder that it is about.
    public var path: String?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// An error with what is known; a suite fills in its label where it passes the error on.
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

    /// One line: the suite or path, the key, the reason. Line breaks and other control characters
    /// are escaped, like `\u{A}`; the properties keep them.
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
  /// What anybody's error says. A case of an enum that doesn't describe itself comes with its type:
  /// `PlayerError.offline`.
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
  /// An error of a store as a suite passes it on: itself if it is one of ours already.
  package init(wrapping error: any Error, _ code: Code, suite: String) {
    if let error = error as? Self {
      self = error
      self.suite = error.suite ?? suite
    } else {
      self.init(code, error.words, suite: suite, underlying: error)
    }
  }

  /// The error with the key and suite that it turned out to be about.
  func about(key: String, suite: String) -> Self {
    var error = self
    error.key = key
    error.suite = error.suite ?? suite
    return error
  }
}

// MARK: - Short names inside of the package

package typealias SuiteError = Defaults.SuiteError
package typealias ConversionError = Defaults.ConversionError
package typealias PropertyListValue = Defaults.PropertyListValue
package typealias Edit = Defaults.Edit
