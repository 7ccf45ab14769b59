import Defaults
import Foundation
import Synchronization

extension Defaults {
  /// A layer of a ``LayeredSuite``: a source of entries, or the suite that stores changes.
  public struct Layer: Sendable {
    /// One place of the layer. A layer may have several, by precedence.
    struct Part: Sendable {
      enum Content: Sendable {
        case writable(StoredSuite?)
        /// The entries of a profile in the writable layer.
        case profile(ProfileChoice)
        case source(any LayerSource)
      }

      let name: String
      let content: Content
      /// The label in issues, usually a path.
      var label: String {
        switch content {
        case .writable(let base): base?.label ?? name
        case .profile: name
        case .source(let source): source.label
        }
      }
      /// Whether the settings of the layer can't be changed.
      var isManaged = false
      /// Whether the values of the layer are redacted.
      var isSecret = false
      /// Whether names in the layer's files, and variables, that no setting has are allowed, and
      /// not reported as issues.
      var allowsUnknown = false
      /// Shared by all suites with the layer.
      let loading = LoadingLock()
    }

    /// Keeps suites with the same layer from loading its source at the same time.
    final class LoadingLock: Sendable {
      private let lock = Mutex(())

      func load(_ source: any LayerSource) throws -> LayerContent {
        try lock.withLock { _ in try source.load() }
      }
    }

    private(set) var parts: [Part]

    /// Creates a layer from a source.
    ///
    /// - Parameters:
    ///   - name: The layer's name in issues, changes and ``Suite/inspect(_:)``.
    ///   - source: The source of its entries.
    ///   - isManaged: Whether the settings of this layer can't be changed. Setting one throws
    ///     `managed`.
    public init(_ name: String, _ source: some LayerSource, isManaged: Bool = false) {
      parts = [Part(name: name, content: .source(source), isManaged: isManaged)]
    }

    init(_ parts: [Part]) { self.parts = parts }

    /// Creates a layer that may be secret.
    init(_ name: String, _ source: some LayerSource, isSecret: Bool) {
      parts = [Part(name: name, content: .source(source), isSecret: isSecret)]
    }

    /// A copy of the layer that doesn't report unknown names in its files, or unknown environment
    /// variables, as issues.
    ///
    /// Use it for files and prefixes of variables that other programs share:
    ///
    /// ```swift
    /// .file(shared, name: "team").allowingUnknown
    /// .environment(prefix: "TEAM_").allowingUnknown
    /// ```
    ///
    /// An unknown name is one that no setting has. Other layers report unknown names if the suite
    /// knows all keys; see `declaring` of ``LayeredSuite``.
    public var allowingUnknown: Self {
      var layer = self
      for index in parts.indices { layer.parts[index].allowsUnknown = true }
      return layer
    }
  }
}

extension Defaults.Layer {
  /// The layer that stores changes: the user's settings. The layer is named `user`.
  ///
  /// - Precondition: The suite is one of the library's, or a ``StoredSuite``.
  public static func writable(_ suite: some Defaults.Suite) -> Self {
    let storage = suite.storage(toBe: "the writable layer")
    return Self([Part(name: Defaults.writableLayerName, content: .writable(storage))])
  }

  /// The administrator's settings, which no other layer overrides and no program can change: the
  /// property list `/etc/xdg/<program>/managed.plist`
  /// (`/Library/Preferences/<program>/managed.plist` on Apple platforms).
  ///
  /// The file may be created, changed and removed while the program runs. Environment variables
  /// don't affect its location.
  ///
  /// - Parameter program: The name of the folder; by default the program's.
  public static func managed(_ program: String? = nil) -> Self {
    let program = program ?? FileLocation.identifier
    return Self(
      "managed", Defaults.FileSource(path: "\(SystemFolders.main)/\(program)/managed.plist"),
      isManaged: true)
  }

  /// The administrator's settings in a property list or JSON file at a URL. See ``managed(_:)``.
  public static func managed(at url: URL) -> Self {
    Self("managed", Defaults.FileSource(url), isManaged: true)
  }

  /// The machine's default settings: `<program>/defaults.plist` in each folder of
  /// `XDG_CONFIG_DIRS`, by default `/etc/xdg` (`/Library/Preferences` on Apple platforms). An
  /// earlier folder overrides a later one.
  ///
  /// - Parameter program: The name of the folder; by default the program's.
  public static func site(_ program: String? = nil) -> Self {
    let program = program ?? FileLocation.identifier
    return Self(
      SystemFolders.all(ProcessInput.current).map { folder in
        let source = Defaults.FileSource(path: "\(folder)/\(program)/defaults.plist")
        return Part(name: "site", content: .source(source))
      })
  }

  /// The machine's default settings in a property list or JSON file at a URL.
  public static func site(at url: URL) -> Self { Self("site", Defaults.FileSource(url)) }

  /// The entries of a property list or JSON file, which may be missing. See ``FileSource``.
  public static func file(_ url: URL, name: String = "file") -> Self {
    Self(name, Defaults.FileSource(url))
  }

  /// The program's arguments; see ``Defaults/Arguments``. Empty in a privileged (setuid) program.
  public static var arguments: Self { arguments(.ofProcess) }

  /// The settings in these arguments.
  public static func arguments(_ arguments: Defaults.Arguments) -> Self {
    Self("arguments", arguments)
  }

  /// The environment variables whose names begin with a prefix: with `APP_`, `editor.tabWidth` is
  /// `APP_EDITOR_TAB_WIDTH`. Empty in a privileged (setuid) program, as with `secure_getenv(3)`.
  ///
  /// The prefix is put directly before the name: with `APP`, `port` is `APPPORT`.
  ///
  /// If the suite knows all keys (see `declaring` of ``LayeredSuite``) and the prefix ends with an
  /// underscore, a variable with the prefix that no key reads is an issue. With the prefix `APP`,
  /// only a variable such as `APP_PORT`, which a key would read with `APP_`, is an issue.
  /// ``allowingUnknown`` is for a prefix that other variables share.
  public static func environment(prefix: String) -> Self {
    environment(prefix: prefix, ProcessInput.current.environment)
  }

  /// The variables of a dictionary, which is used instead of the process's environment.
  public static func environment(prefix: String, _ variables: [String: String]) -> Self {
    Self("environment", EnvironmentSource(prefix: prefix, variables: variables))
  }

  /// The entries of another suite, which the layered suite reads and follows, but never writes.
  public static func layer(_ suite: some Defaults.Suite, name: String = "suite") -> Self {
    Self(name, SuiteSource(suite: suite))
  }

  /// Entries that never change, such as those built into a program.
  public static func values(
    _ entries: [String: Defaults.PropertyListValue], name: String = "values"
  ) -> Self {
    Self(name, FixedSource(entries: entries))
  }
}

/// The folders of a machine's settings.
private enum SystemFolders {
  #if canImport(Darwin)
    static let main = "/Library/Preferences"
  #else
    static let main = "/etc/xdg"
  #endif

  /// The folders of the XDG Base Directory Specification, by precedence.
  static func all(_ input: ProcessInput) -> [String] {
    let folders = (input.environment["XDG_CONFIG_DIRS"] ?? "").split(separator: ":")
      .filter { $0.hasPrefix("/") }.map(String.init)
    return folders.isEmpty ? [main] : folders
  }
}

// MARK: - Sources

/// Entries that never change.
private struct FixedSource: Defaults.LayerSource {
  let entries: [String: Defaults.PropertyListValue]

  var label: String { "built-in values" }

  func load() -> Defaults.LayerContent { .entries(entries) }
}

/// The entries of another suite.
struct SuiteSource: Defaults.LayerSource {
  let suite: any Defaults.Suite

  var label: String { suite.label }

  func load() -> Defaults.LayerContent { .entries(suite.entries) }

  func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    // Layers must also follow silent changes.
    suite.observe(nil, options: .silent) { _ in changed() }
  }
}
