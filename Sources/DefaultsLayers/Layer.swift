import Defaults
import Foundation

extension Defaults {
  /// A layer of a ``LayeredSuite``: something that gives entries, or takes them.
  public struct Layer: Sendable {
    /// One place of the layer; a layer may have several, the strongest first.
    struct Part: Sendable {
      enum Content: Sendable {
        case writable(StoredSuite?)
        case source(any LayerSource)
      }

      let name: String
      let content: Content
      /// What it is called in issues: a path, mostly.
      var label: String {
        switch content {
        case .writable(let base): base?.label ?? name
        case .source(let source): source.label
        }
      }
      /// Whether what it gives can't be set.
      var isManaged = false
    }

    let parts: [Part]

    /// A layer of a source, under a name that issues, changes and ``Suite/inspect(_:)`` have. What a
    /// forced one gives can't be set: that throws `managed`.
    public init(_ name: String, _ source: some LayerSource, isManaged: Bool = false) {
      parts = [Part(name: name, content: .source(source), isManaged: isManaged)]
    }

    private init(_ parts: [Part]) { self.parts = parts }
  }
}

extension Defaults.Layer {
  /// The layer that takes what is set: the user's, called `user`.
  ///
  /// - Precondition: The suite is one of the library's, or a ``StoredSuite``.
  public static func writable(_ suite: some Defaults.Suite) -> Self {
    let storage = suite.storage(toBe: "the writable layer")
    return Self([Part(name: Defaults.writableLayerName, content: .writable(storage))])
  }

  /// The administrator's settings, which no other layer overrides and no program sets: the property
  /// list `/etc/xdg/<program>/managed.plist` (`/Library/Preferences/<program>/managed.plist` on Apple
  /// platforms).
  ///
  /// The file may come, change and go while the program runs. The environment doesn't decide where
  /// it is.
  ///
  /// - Parameter program: The name of the folder; by default the program's.
  public static func managed(_ program: String? = nil) -> Self {
    let program = program ?? FileLocation.identifier
    return Self(
      "managed", Defaults.FileSource(path: "\(SystemFolders.main)/\(program)/managed.plist"),
      isManaged: true)
  }

  /// The administrator's settings, as a property list or JSON file at this place; see the form for a
  /// program.
  public static func managed(at url: URL) -> Self {
    Self("managed", Defaults.FileSource(url), isManaged: true)
  }

  /// The machine's suggestions: `<program>/defaults.plist` in each folder of `XDG_CONFIG_DIRS`, by
  /// default `/etc/xdg` (`/Library/Preferences` on Apple platforms). An earlier folder overrides a
  /// later one.
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

  /// The machine's suggestions, as a property list or JSON file at this place.
  public static func site(at url: URL) -> Self { Self("site", Defaults.FileSource(url)) }

  /// The entries of a file, a property list or JSON, which need not be there.
  public static func file(_ url: URL, name: String = "file") -> Self {
    Self(name, Defaults.FileSource(url))
  }

  /// The arguments of the program; see ``Defaults/Arguments``. None in a program with rights that
  /// whoever started it hasn't.
  public static var arguments: Self { arguments(.ofProcess) }

  /// Some arguments.
  public static func arguments(_ arguments: Defaults.Arguments) -> Self {
    Self("arguments", arguments)
  }

  /// The variables of the environment whose names begin with a prefix: with `APP_` that of
  /// `editor.tabWidth` is `APP_EDITOR_TAB_WIDTH`. None in a program with rights that whoever started
  /// it hasn't (`secure_getenv(3)`).
  public static func environment(prefix: String) -> Self {
    environment(prefix: prefix, ProcessInput.current.environment)
  }

  /// Some variables, in place of those of the process.
  public static func environment(prefix: String, _ variables: [String: String]) -> Self {
    Self("environment", EnvironmentSource(prefix: prefix, variables: variables))
  }

  /// The entries of another suite, which this one only reads, and follows.
  public static func layer(_ suite: some Defaults.Suite, name: String = "suite") -> Self {
    Self(name, SuiteSource(suite: suite))
  }

  /// Entries that never change, such as those that a program is built with.
  public static func values(
    _ entries: [String: Defaults.PropertyListValue], name: String = "values"
  ) -> Self {
    Self(name, FixedSource(entries: entries))
  }
}

/// Where the settings of a machine lie.
private enum SystemFolders {
  #if canImport(Darwin)
    static let main = "/Library/Preferences"
  #else
    static let main = "/etc/xdg"
  #endif

  /// The folders of the XDG Base Directory Specification, the strongest first.
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

  func load() -> Defaults.LayerContent { .entries(entries) }
}

/// The entries of another suite.
struct SuiteSource: Defaults.LayerSource {
  let suite: any Defaults.Suite

  var label: String { suite.label }

  func load() -> Defaults.LayerContent { .entries(suite.entries) }

  func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    // A change that others aren't told of is one.
    suite.observe(nil, options: .silent) { _ in changed() }
  }
}
