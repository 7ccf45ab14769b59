import Defaults
import Foundation

extension Defaults {
  /// The source of a layer's entries in a ``LayeredSuite``. Your own source needs one function.
  ///
  /// ```swift
  /// struct Registry: Defaults.LayerSource {
  ///   func load() throws -> Defaults.LayerContent { .entries(try readRegistry()) }
  /// }
  /// let suite = try Defaults.LayeredSuite(
  ///   .writable(.standard), Defaults.Layer("registry", Registry()))
  /// ```
  ///
  /// The functions may be called on any thread, and mustn't use the suite. Only one thread at a
  /// time calls `load`, also if several suites have the layer.
  public protocol LayerSource: Sendable {
    /// The label in issues: a path or a host. By default the name of the type.
    var label: String { get }

    /// Returns the current content; content without entries if the source is empty. A thrown error
    /// becomes an issue, and the layer keeps its previous content.
    func load() throws -> LayerContent

    /// Observes the source.
    ///
    /// The default implementation never calls the closure.
    ///
    /// - Parameter changed: Must be called when `load` may return different content, on any thread,
    ///   without a lock that `load` needs. The suite then loads the content and notifies its
    ///   observers.
    /// - Returns: A token. The observation ends when the token is released.
    func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)?
  }

  /// The content of a layer.
  public struct LayerContent: Sendable {
    enum Kind: Sendable {
      /// Entries by precedence, the highest first.
      case entries([WrittenEntries])
      case texts(@Sendable (AnyKey) -> LayerText?)
    }

    let kind: Kind
    /// Problems of a source that gives entries nevertheless: one of several files is damaged, or
    /// the system can't watch it.
    var problems: [SuiteError] = []
    /// The names in the files of a source of texts.
    var texts: WrittenTexts?

    private init(kind: Kind) { self.kind = kind }

    static func entries(_ entries: [WrittenEntries]) -> Self { Self(kind: .entries(entries)) }

    /// Entries, by name.
    public static func entries(_ entries: [String: PropertyListValue]) -> Self {
      Self(kind: .entries([WrittenEntries(entries)]))
    }

    /// Texts in the format of ``KeyBase/set(text:)``. The closure returns nil for a key without a
    /// text. It must depend only on the key's names.
    public static func texts(_ text: @escaping @Sendable (AnyKey) -> LayerText?) -> Self {
      Self(kind: .texts(text))
    }
  }

  /// The text of a value, and its place: `APP_VOLUME`, `argument 3`.
  public struct LayerText: Sendable, Hashable {
    /// The text.
    public let text: String
    /// The place of the text.
    public let place: String
    /// Why the text isn't valid for any setting; nil for a valid text.
    public let reason: String?
    /// The bytes of a file, which are the value of a setting that is stored as data.
    var data: Data?

    /// Creates a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - place: Its place, for messages.
    ///   - reason: Why the text isn't valid for any setting.
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
