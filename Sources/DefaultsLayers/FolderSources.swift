import Defaults
import Foundation
import Synchronization

/// A folder that several sources read in their own way, and its observers.
private final class ObservedFolder: Sendable {
  let path: String?
  let observers: SourceObservers
  private let reader: FolderReader?

  init(path: String?) {
    let observers = SourceObservers()
    (self.path, self.observers) = (path, observers)
    reader = path.map { path in FolderReader(path: path) { observers.tell() } }
  }

  var label: String { path ?? "no folder" }

  var problem: Defaults.SuiteError? { reader?.problem }

  func files(
    upTo limit: Int = .max, where isWanted: (String) -> Bool
  ) throws(Defaults.SuiteError) -> [FolderReader.File] {
    try reader?.files(upTo: limit, where: isWanted) ?? []
  }
}

// MARK: - One file per setting

/// A folder with a file for each setting, named like it, whose content is the value.
final class FolderSource: Defaults.LayerSource {
  /// The maximum size of a file. Larger files aren't settings.
  private static let limit = 1 << 20

  private struct Value {
    let text: String?
    let data: Data
  }

  private let folder: ObservedFolder
  /// The values of the last reading, for files that become unreadable.
  private let values = Mutex<[String: Value]>([:])

  /// Creates a source. Without a path, it has no settings.
  init(path: String?) { folder = ObservedFolder(path: path) }

  var label: String { folder.label }

  func load() throws -> Defaults.LayerContent {
    let files = try folder.files(upTo: Self.limit) { !$0.hasPrefix(".") }
    var texts: [String: Defaults.LayerText] = [:]
    var problems = [folder.problem].compactMap(\.self)
    let old = values.withLock { $0 }
    var new: [String: Value] = [:]
    for file in files {
      do throws(Defaults.SuiteError) {
        guard let data = try file.data.get() else {
          let reason = "The file is larger than \(Self.limit >> 20) MiB, so it isn't read"
          texts[file.name] = Defaults.LayerText("", at: file.path, invalidBecause: reason)
          continue
        }
        new[file.name] = Value(text: Self.text(of: data), data: data)
      } catch {
        problems.append(error)
        new[file.name] = old[file.name]
      }
      if let value = new[file.name] { texts[file.name] = Self.text(value, at: file.path) }
    }
    values.withLock { [new] in $0 = new }
    var content = Defaults.LayerContent.texts { [texts] key in
      key.allNames.lazy.compactMap { texts[$0] }.first
    }
    content.problems = problems
    content.texts = WrittenTexts(
      all: files.map { WrittenTexts.Name(name: $0.name, path: $0.path, place: $0.path) },
      spelling: { $0 })
    return content
  }

  func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    folder.observers.add(changed)
  }

  /// The text of a file without one line break at its end, which most editors add; nil if it isn't
  /// UTF-8.
  private static func text(of data: Data) -> String? {
    var bytes = data[...]
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func text(_ value: Value, at path: String) -> Defaults.LayerText {
    let reason = value.text == nil ? "The file isn't UTF-8 text" : nil
    var text = Defaults.LayerText(value.text ?? "", at: path, invalidBecause: reason)
    text.data = value.data
    return text
  }
}

// MARK: - Several files of settings

/// The property list and JSON files of a folder. Of the files that have a setting, the last one by
/// name counts.
final class FilesSource: Defaults.LayerSource {
  private static let endings = [".json", ".jsonc", ".plist"]

  private let folder: ObservedFolder
  /// The entries of the last reading by path, for files that are damaged or become unreadable.
  private let known = Mutex<[String: WrittenEntries]>([:])

  init(path: String) { folder = ObservedFolder(path: path) }

  var label: String { folder.label }

  func load() throws -> Defaults.LayerContent {
    let files = try folder.files { name in
      !name.hasPrefix(".") && Self.endings.contains(where: name.hasSuffix)
    }
    var problems = [folder.problem].compactMap(\.self)
    let old = known.withLock { $0 }
    var new: [String: WrittenEntries] = [:]
    for file in files {
      do throws(Defaults.SuiteError) {
        new[file.path] = try file.data.get().map { data throws(Defaults.SuiteError) in
          try WrittenEntries(data, of: file.path)
        }
      } catch {
        problems.append(error)
        new[file.path] = old[file.path]
      }
    }
    known.withLock { [new] in $0 = new }
    var content = Defaults.LayerContent.entries(files.reversed().compactMap { new[$0.path] })
    content.problems = problems
    return content
  }

  func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    folder.observers.add(changed)
  }
}
