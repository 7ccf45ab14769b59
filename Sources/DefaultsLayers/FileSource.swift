import Defaults
import Foundation
import Synchronization

extension Defaults {
  /// A property list or JSON file as a layer. It is read and never written.
  ///
  /// The file, and links in its path, may be created, changed and removed at any time; the suite
  /// follows within a moment. A missing file has no entries. An unreadable or damaged file is an
  /// issue, and the layer keeps its previous entries.
  ///
  /// Another file can replace it while the program runs, which makes profiles possible:
  ///
  /// ```swift
  /// let profile = Defaults.FileSource(folder.appending(path: "day.plist"))
  /// let suite = try Defaults.LayeredSuite(
  ///   .arguments, Defaults.Layer("profile", profile), .writable(.standard))
  /// profile.url = folder.appending(path: "night.plist")  // observers are notified of differences
  /// ```
  public final class FileSource: LayerSource {
    private struct State {
      var url: URL?
      var path: String?
      var file: WatchedFile?
      var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// Creates a source.
    ///
    /// - Parameter url: The file. Without one there are no entries; a URL that isn't a file URL is
    ///   an issue.
    public init(_ url: URL? = nil) {
      state = Mutex(State(url: url, path: url.map(Self.path)))
    }

    convenience init(path: String) { self.init(URL(filePath: path)) }

    /// The file. When the setter returns, the suite has the new file's entries and has notified its
    /// observers. In a transaction, both happen after it has ended.
    public var url: URL? {
      get { state.withLock { $0.url } }
      set {
        let observers = state.withLock { state in
          (state.url, state.path, state.file) = (newValue, newValue.map(Self.path), nil)
          return state.observers.values
        }
        for changed in observers { changed() }
      }
    }

    /// The path of the file.
    public var label: String { state.withLock { $0.path } ?? "no file" }

    /// The path of a URL. Empty if it isn't a file URL, which is an issue when the file is read.
    private static func path(of url: URL) -> String { WatchedFile.path(of: url) ?? "" }
  }
}

extension Defaults.FileSource {
  /// Returns the current entries of the file.
  public func load() throws -> Defaults.LayerContent {
    guard let file else { return .entries([:]) }
    let data = try file.read()
    do {
      var content = Defaults.LayerContent.entries(try data.map(Self.entries(in:)) ?? [:])
      content.isDecimal = data.map(Self.isJSON) ?? false
      content.problem = file.problem
      return content
    } catch let error as ConversionError {
      throw Defaults.SuiteError(
        .malformed,
        "The file is damaged; its previous content is used: "
          + error.description(in: data ?? Data()),
        path: file.path, underlying: error)
    }
  }

  /// Calls the closure when the file may have changed, until the result is released.
  public func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    let token = Token(source: self)
    state.withLock { $0.observers[ObjectIdentifier(token)] = changed }
    return token
  }

  /// Ends a watch when it is released.
  private final class Token: Sendable {
    let source: Defaults.FileSource

    init(source: Defaults.FileSource) { self.source = source }

    deinit {
      let closure = source.state.withLock {
        $0.observers.removeValue(forKey: ObjectIdentifier(self))
      }
      withExtendedLifetime(closure) {}
    }
  }

  /// The file, which is watched from the first access on.
  private var file: WatchedFile? {
    state.withLock { state in
      if let file = state.file { return file }
      guard let path = state.path else { return nil }
      let file = WatchedFile(path: path) { [weak self] in self?.tellObservers() }
      state.file = file
      return file
    }
  }

  private func tellObservers() {
    for changed in state.withLock({ $0.observers.values }) { changed() }
  }

  /// Whether content begins like a JSON object.
  package static func isJSON(_ data: Data) -> Bool {
    data.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  private static func entries(in data: Data) throws -> [String: Defaults.PropertyListValue] {
    if isJSON(data) { return try Defaults.JSONFormat().decode(data) }
    return try Defaults.PropertyListFormat.decode(data).entries
  }
}
