import Defaults
import Foundation
import Synchronization

extension Defaults {
  /// A property list or JSON file as a layer. It is read and never written.
  ///
  /// The file, and links in its path, may be created, changed and removed at any time; the suite
  /// applies the changes within a moment. A missing file has no entries. An unreadable or damaged
  /// file is reported as an issue, and the layer keeps its previous entries.
  ///
  /// Another file can replace it while the program runs:
  ///
  /// ```swift
  /// let preset = Defaults.FileSource(folder.appending(path: "day.plist"))
  /// let suite = try Defaults.LayeredSuite(
  ///   .arguments, Defaults.Layer("preset", preset), .writable(.standard))
  /// // Observers are notified of the differences.
  /// preset.url = folder.appending(path: "night.plist")
  /// ```
  ///
  /// For named groups of settings that users change and switch between, use ``Layer/profile(_:)``.
  public final class FileSource: LayerSource {
    private struct State {
      var url: URL?
      var path: String?
      var file: WatchedFile?
    }

    private let state: Mutex<State>
    private let observers = SourceObservers()
    /// Returns the content of a file with these bytes and this path.
    private let contentOf: @Sendable (Data, String) throws -> LayerContent

    /// Creates a source.
    ///
    /// - Parameter url: The file. Without a file, the source has no entries; a URL that isn't a
    ///   file URL is reported as an issue.
    public convenience init(_ url: URL? = nil) {
      self.init(url) { data, path in .entries([try WrittenEntries(data, of: path)]) }
    }

    /// Creates a source for a file of another format.
    init(_ url: URL?, _ content: @escaping @Sendable (Data, String) throws -> LayerContent) {
      state = Mutex(State(url: url, path: url.map(Self.path)))
      contentOf = content
    }

    convenience init(path: String) { self.init(URL(filePath: path)) }

    /// The file. When the setter returns, the suite has the new file's entries and has notified its
    /// observers. If the setter is called in a transaction, both happen after the transaction has
    /// ended.
    ///
    /// If the new file is damaged, the entries of the earlier file stay until it is repaired.
    public var url: URL? {
      get { state.withLock { $0.url } }
      set {
        state.withLock { state in
          (state.url, state.path, state.file) = (newValue, newValue.map(Self.path), nil)
        }
        observers.tell()
      }
    }

    /// The path of the file.
    public var label: String { state.withLock { $0.path } ?? "no file" }

    /// The path of a URL. Empty for a URL that isn't a file URL; reading the file then reports an
    /// issue.
    static func path(of url: URL) -> String { CanonicalPath.path(of: url) ?? "" }
  }
}

extension Defaults.FileSource {
  /// Returns the current entries of the file.
  public func load() throws -> Defaults.LayerContent {
    guard let file else { return .entries([:]) }
    let data = try file.read()
    var content =
      try data.map { try contentOf($0, file.path) } ?? Defaults.LayerContent.entries([:])
    content.problems += [file.problem].compactMap(\.self)
    return content
  }

  /// Calls the closure when the file may have changed, until the result is released.
  public func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    observers.add(changed)
  }

  /// The file, which is watched from the first access on.
  private var file: WatchedFile? {
    state.withLock { state in
      if let file = state.file { return file }
      guard let path = state.path else { return nil }
      let file = WatchedFile(path: path) { [observers] in observers.tell() }
      state.file = file
      return file
    }
  }

  /// Whether content begins like a JSON object, or like a comment before one.
  package static func isJSON(_ data: Data) -> Bool {
    let text = data.starts(with: [0xef, 0xbb, 0xbf]) ? data.dropFirst(3) : data
    let first = text.first { !" \t\r\n".utf8.contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "/")
  }
}
