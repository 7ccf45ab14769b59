import Defaults
import Foundation
import Synchronization

extension Defaults {
  /// A file as a layer, a property list or JSON, which is read and never written.
  ///
  /// It may come, change and go at any time, by whatever links its path leads through; the suite
  /// takes in what it has a moment after. One that isn't there has no entries. One that can't be
  /// read, or is damaged, is an issue with the place, and the layer keeps the entries that it had.
  ///
  /// Another file can take its place while the program runs, which makes profiles:
  ///
  /// ```swift
  /// let profile = Defaults.FileSource(folder.appending(path: "day.plist"))
  /// let suite = try Defaults.LayeredSuite(.arguments, Defaults.Layer("profile", profile), .writable(.standard))
  /// profile.url = folder.appending(path: "night.plist")  // observers hear of what differs
  /// ```
  public final class FileSource: LayerSource {
    private struct State {
      var url: URL?
      var path: String?
      var file: WatchedFile?
      var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// The file of a file URL; without one there are no entries. Any other URL is an issue.
    public init(_ url: URL? = nil) {
      state = Mutex(State(url: url, path: url.map(Self.path)))
    }

    convenience init(path: String) { self.init(URL(filePath: path)) }

    /// The file. When the setter returns, the suite has the entries of the new one, and its
    /// observers have been told; inside of a transaction, when that has ended.
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

    /// The path of a URL; one that isn't of a file gives no path, which is an issue when it is read.
    private static func path(of url: URL) -> String { WatchedFile.path(of: url) ?? "" }
  }
}

extension Defaults.FileSource {
  /// The entries of the file as it is now.
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
        "The file is damaged, so what it had before counts: \(error.description(in: data ?? Data()))",
        path: file.path, underlying: error)
    }
  }

  /// Calls the closure when the file may have changed.
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

  /// The file, watched from now on.
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

  /// Whether content begins as a JSON object does.
  package static func isJSON(_ data: Data) -> Bool {
    data.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  private static func entries(in data: Data) throws -> [String: Defaults.PropertyListValue] {
    if isJSON(data) { return try Defaults.JSONFormat().decode(data) }
    return try Defaults.PropertyListFormat.decode(data).entries
  }
}
