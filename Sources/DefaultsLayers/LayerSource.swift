import Defaults

extension Defaults {
  /// What a layer of a ``LayeredSuite`` gets its entries from; a source of your own needs one
  /// function.
  ///
  /// ```swift
  /// struct Registry: Defaults.LayerSource {
  ///   func load() throws -> Defaults.LayerContent { .entries(try readRegistry()) }
  /// }
  /// let suite = try Defaults.LayeredSuite(.writable(.standard), Defaults.Layer("registry", Registry()))
  /// ```
  ///
  /// Its functions may be called on any thread, `load` by one at a time; it mustn't use the suite.
  public protocol LayerSource: Sendable {
    /// What the source is called in issues: a path, a host. The default is the name of the type.
    var label: String { get }

    /// What it gives now; nothing there is no entries. What this throws is an issue, and the layer
    /// keeps what it had.
    func load() throws -> LayerContent

    /// Calls the closure, on any thread and with no lock that `load` takes, whenever `load` may give
    /// something else: the suite then loads it, tells its observers, and returns. Ends when what
    /// this returns is released. The default never calls it.
    func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)?
  }

  /// What a layer gives.
  public struct LayerContent: Sendable {
    enum Kind: Sendable {
      case entries([String: PropertyListValue])
      case texts(@Sendable (AnyKey) -> LayerText?)
    }

    let kind: Kind
    /// Whether numbers are decimal, as in JSON: of a `Float` the nearest is meant.
    var isDecimal = false
    /// What is wrong with the source, though it gives entries: the system doesn't watch it.
    var problem: SuiteError?

    private init(kind: Kind) { self.kind = kind }

    /// Entries, by name.
    public static func entries(_ entries: [String: PropertyListValue]) -> Self {
      Self(kind: .entries(entries))
    }

    /// Texts, as ``KeyBase/set(text:)`` takes them; nil for a key that there is none for. The closure
    /// gives the same for equal keys, and looks at their names alone.
    public static func texts(_ text: @escaping @Sendable (AnyKey) -> LayerText?) -> Self {
      Self(kind: .texts(text))
    }
  }

  /// A text that stands for a value, and where it was found: `APP_VOLUME`, `argument 3`.
  public struct LayerText: Sendable, Hashable {
    /// The text.
    public let text: String
    /// Where it was found.
    public let place: String
    /// Why it stands for nothing, whatever the setting takes; nil for a text that is one.
    public let reason: String?

    /// A text, and where it was found.
    public init(_ text: String, at place: String, invalidBecause reason: String? = nil) {
      self.text = text
      self.place = place
      self.reason = reason
    }
  }
}

extension Defaults.LayerSource {
  /// The name of the type.
  public var label: String { "\(Self.self)" }

  /// Never calls the closure.
  public func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? { nil }
}
