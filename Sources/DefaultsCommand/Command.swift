import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

extension Defaults {
  /// A settings command for a program, made of the keys that it declares: `list`, `get`, `set`,
  /// `edit`, `watch`, `explain`, and so on, with completion for three shells.
  ///
  /// ```swift
  /// // mytool settings set volume 7
  /// if CommandLine.arguments.dropFirst().first == "settings" {
  ///   Defaults.Command(Preferences.self, name: "mytool settings")
  ///     .main(Array(CommandLine.arguments.dropFirst(2)))
  /// }
  /// ```
  ///
  /// `help` lists what it can do. Values are texts, as ``KeyBase/set(text:)`` takes them. What goes
  /// wrong is one line on standard error, and an exit status of `sysexits.h`; ``CommandError`` has
  /// the list. Secrets are hidden without `--show-secrets`. Control characters are printed as their
  /// numbers, and colours and widths are for terminals alone (`NO_COLOR` is heeded).
  public struct Command: Sendable {
    let keys: [AnyKey]
    let suite: any Suite
    /// What a person types before the verb.
    let name: String
    /// The program's version; nil where it says none.
    let version: String?

    /// A command for some keys, in the order in which it lists them, and the suite in which it looks
    /// and writes. `name` is what a person types before the verb, by default the program's name;
    /// `version` is what `--version` prints behind it.
    public init(
      _ keys: [AnyKey], suite: some Suite = .standard, name: String? = nil,
      version: String? = nil
    ) {
      self.keys = keys
      self.suite = suite
      self.name = name ?? Console.programName
      self.version = version
    }

    /// A command for the settings of a schema; see the form for keys. Its imports migrate files of
    /// older versions by the migrations of the schema, too.
    public init(
      _ schema: (some Schema).Type, suite: some Suite = .standard, name: String? = nil,
      version: String? = nil
    ) {
      suite.learnMigrations(of: schema)
      self.init(schema.init(suite: suite).keys, suite: suite, name: name, version: version)
    }

    /// Does what the arguments say, the verb first; without any it lists the settings.
    ///
    /// Prints to standard output, which has everything when this returns or throws. Throws a
    /// ``CommandError``, whose text is the line for standard error.
    public func run(_ arguments: [String]) throws(CommandError) {
      do {
        try Input.requireText(arguments)
        try Verb.run(arguments, of: self)
        try Console.flush()
      } catch {
        // What was printed before the error is still worth reading.
        try? Console.flush()
        throw CommandError(error)
      }
    }

    /// Does what the arguments say, and ends the program with the status that comes of it; an error
    /// is a line on standard error, and so is every issue of the library.
    public func main(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> Never {
      Self.prepare()
      do throws(CommandError) {
        try run(arguments)
        exit(0)
      } catch {
        error.exit()
      }
    }

    /// Makes output that fails an error in place of the program's end, and every issue of the library
    /// a line on standard error. ``main(_:)`` does it; call it first in a program that does something
    /// before.
    public static func prepare() {
      Console.prepare()
      // The library's own handler prints the line as it is. A path in it may hold control characters.
      Defaults.issueHandler = { Console.printToStandardError($0.description) }
    }
  }

  /// Why a ``Command`` couldn't do what it was told.
  ///
  /// The ``status`` is one of `sysexits.h`: 64 for wrong usage or a value that isn't allowed, 65 for
  /// content that is damaged, not allowed, or of a version that isn't known, 66 for a file that can't be read, 70 for what shouldn't
  /// happen, 71 where the system starts no editor, 74 for output or settings that can't be written,
  /// 75 where another process has the lock or a server can't be reached, 77 for a setting that is
  /// managed or that a server denies; 1 where `diff` or `doctor` found something or the answer to a
  /// question was no, and 141 where no program reads the output anymore.
  public struct CommandError: Error, CustomStringConvertible {
    /// What is wrong, in a line; empty where there is nothing to say.
    public let description: String
    /// The status to exit with.
    public let status: Int32

    package init(_ description: String, status: Int32) {
      self.description = escapedMessage(description)
      self.status = status
    }

    /// Any error, with the status that belongs to it: that of a ``SuiteError`` goes by its code.
    public init(_ error: any Error) {
      switch error {
      case let error as Self: self = error
      case let error as UsageError: self.init(error.description, status: 64)
      // The status with which a shell reports a program that a broken pipe killed. It isn't killed
      // by the signal, so that the library can finish its work.
      case let error as OutputError:
        self.init(
          error.isBrokenPipe ? "" : error.description, status: error.isBrokenPipe ? 141 : 74)
      case let error as SuiteError:
        self.init(error.description, status: Self.status(of: error.code))
      default: self.init("\(error)", status: 70)
      }
    }

    private static func status(of code: SuiteError.Code) -> Int32 {
      switch code {
      case .invalid, .overflow: 64
      case .malformed, .undecodable, .unrepresentable, .unencodable: 65
      case .newerEntries, .olderVersion, .migrationFailed: 65
      case .unreadable: 66
      case .locked, .unreachable, .tooManyConflicts: 75
      case .managed, .denied: 77
      default: 74
      }
    }

    /// Says it on standard error, and ends the program.
    public func exit() -> Never {
      if !description.isEmpty { Console.printError(description) }
      Foundation.exit(status)
    }
  }
}
