import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

extension Defaults {
  /// A settings command for a program, built from the keys that the program declares: `list`,
  /// `get`, `set`, `edit`, `watch`, `explain` and more, with completion for three shells.
  ///
  /// ```swift
  /// // mytool settings set volume 7
  /// if CommandLine.arguments.dropFirst().first == "settings" {
  ///   Defaults.Command(Preferences.self, name: "mytool settings")
  ///     .main(Array(CommandLine.arguments.dropFirst(2)))
  /// }
  /// ```
  ///
  /// `help` lists all commands. Values are parsed as ``KeyBase/set(text:)`` does. An error is one
  /// line on standard error and an exit status of `sysexits.h`; see ``CommandError``. Secrets are
  /// redacted unless `--show-secrets` is given. Control characters are printed as escapes. Colors
  /// and column widths are used only on terminals, and `NO_COLOR` is respected.
  public struct Command: Sendable {
    let keys: [AnyKey]
    let suite: any Suite
    /// The words that the user types before the verb.
    let name: String
    /// The program's version, or nil if it has none.
    let version: String?

    /// Creates a command for keys. It reads and writes the suite of the keys or, if their suites
    /// differ, `.standard`.
    ///
    /// - Parameters:
    ///   - keys: The keys, in the order in which the command lists them.
    ///   - name: The words that the user types before the verb; by default the program's name.
    ///   - version: The version that `--version` prints.
    public init(_ keys: [AnyKey], name: String? = nil, version: String? = nil) {
      self.init(keys, suite: AnyKey.commonSuite(of: keys), name: name, version: version)
    }

    /// Creates a command for keys, on any suite.
    ///
    /// - Parameters:
    ///   - keys: The keys, in the order in which the command lists them.
    ///   - suite: The suite that the command reads and writes.
    ///   - name: The words that the user types before the verb; by default the program's name.
    ///   - version: The version that `--version` prints.
    public init(
      _ keys: [AnyKey], suite: some Suite, name: String? = nil, version: String? = nil
    ) {
      self.keys = keys
      self.suite = suite
      self.name = name ?? Console.programName
      self.version = version
      // The suite may be another one than that of the keys, and must know which ones are secret.
      for key in keys { key.introduce(to: suite) }
    }

    /// Creates a command for the settings of a schema. Its `import` also migrates files of older
    /// versions by the schema's migrations.
    public init(
      _ schema: (some Schema).Type, suite: some Suite = .standard, name: String? = nil,
      version: String? = nil
    ) {
      let steps = schema.migrations
      if let last = steps.last {
        suite.learn(MigrationPlan(to: last.version, by: steps, for: suite.label))
      }
      self.init(schema.init(suite: suite).keys, suite: suite, name: name, version: version)
    }

    /// Runs a command, or lists the settings if there are no arguments.
    ///
    /// - Parameter arguments: The verb, then its operands and options.
    /// - Throws: A ``CommandError`` whose description is the line for standard error. The output up
    ///   to the error was already written to standard output.
    public func run(_ arguments: [String]) throws(CommandError) {
      do {
        try Input.requireText(arguments)
        try Verb.run(arguments, of: self)
        try Console.flush()
      } catch {
        throw CommandError(flushingAfter: error)
      }
    }

    /// Runs a command and exits with its status. Errors, and the library's issues, are printed on
    /// standard error.
    public func main(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) -> Never {
      Self.prepare()
      do throws(CommandError) {
        try run(arguments)
        exit(0)
      } catch {
        error.exit()
      }
    }

    /// Turns failing output into an error instead of a signal that kills the program, and prints
    /// the library's issues on standard error. ``main(_:)`` calls it; call it first in a program
    /// that does other work before.
    public static func prepare() {
      Console.prepare()
      // The library's default handler doesn't escape control characters, which a path may contain.
      Defaults.issueHandler = { issue in
        var error = issue.error
        // The library's advice is for programmers. The user needs an option of the command.
        if error.code == .secretsLeftOut, let end = error.reason.firstIndex(of: ";") {
          let settings = error.reason.hasPrefix("1 ") ? "it" : "them"
          error.reason = "\(error.reason[..<end]); use --show-secrets to export \(settings)"
        }
        Console.printToStandardError(Issue(error).description)
      }
    }
  }

  /// An error of a ``Command``.
  ///
  /// The ``status`` is one of `sysexits.h`: 64 for wrong usage or an invalid value, 65 for content
  /// that is damaged, invalid or of an unknown version, or a required setting without a value, 66
  /// for an unreadable file, 69 if the settings aren't synced, 70 for an internal error, 71 if the
  /// system can't start an editor, 73 if a file can't be created, 74 for output or settings that
  /// can't be written, 75 if another process holds the lock or a server is unreachable, 77 for a
  /// setting that is managed or secret or that a server denies. Two other statuses exist: 1 if
  /// `diff` or `doctor` found something, if the user answered no, or if nothing can be undone; and
  /// 141 if no program reads the output anymore.
  public struct CommandError: Error, CustomStringConvertible {
    /// The error message, in one line; empty if there is nothing to print.
    public let description: String
    /// The exit status.
    public let status: Int32

    package init(_ description: String, status: Int32) {
      self.description = escapedMessage(description)
      self.status = status
    }

    /// Writes the output up to an error, which is still useful, and wraps the error. If the output
    /// can't be written, status 1, which only tells a result, would hide that.
    package init(flushingAfter error: any Error) {
      self.init(error)
      do throws(OutputError) {
        try Console.flush()
      } catch {
        if status == 1 { self.init(error) }
      }
    }

    /// Wraps any error. The status of a ``SuiteError`` follows from its code.
    public init(_ error: any Error) {
      switch error {
      case let error as Self: self = error
      case let error as UsageError: self.init(error.description, status: 64)
      // 141 is the status that a shell reports for a program killed by SIGPIPE. The library isn't
      // killed, so it can finish its work.
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
      case .newerEntries, .olderVersion, .migrationFailed, .unsupportedLog, .missing: 65
      case .unreadable: 66
      case .locked, .unreachable, .tooManyConflicts: 75
      case .managed, .denied: 77
      default: 74
      }
    }

    /// Prints the message on standard error and ends the program.
    public func exit() -> Never {
      if !description.isEmpty { Console.printError(description) }
      Foundation.exit(status)
    }
  }
}
