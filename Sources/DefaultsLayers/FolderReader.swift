import Defaults
import Foundation
import Synchronization

/// Reads the files of a folder that other programs change, and follows it.
///
/// The files are those of one moment: when a file, a link or the list of files changes while they
/// are read, they are read again. So the folder of a Kubernetes volume, whose link `..data` is
/// exchanged, never gives files of two versions.
final class FolderReader: Sendable {
  /// A file of the folder, by its name.
  struct File: Sendable {
    let name: String
    let path: String
    /// nil if it is larger than the limit.
    let data: Result<Data?, Defaults.SuiteError>
  }

  private struct State {
    /// The canonical path of the folder, and the watch on it.
    var watched: (folder: String, watch: FolderWatcher.Watch)?
    /// The watches on files outside of the folder or in a subfolder, to which links in it lead.
    var links: [String: WatchedPath] = [:]
  }

  let path: String
  private let changed: @Sendable () -> Void
  private let folder: WatchedPath
  private let state = Mutex(State())

  /// Creates a reader of a folder, which need not exist. `changed` is called on a background thread
  /// when its files may have changed since they were last read.
  init(path: String, changed: @escaping @Sendable () -> Void) {
    self.path = path
    self.changed = changed
    folder = WatchedPath(path, includesFile: true, changed: changed)
  }

  /// A `fileWatchingUnavailable` error if the system doesn't report all changes, otherwise nil.
  var problem: Defaults.SuiteError? {
    if let problem = folder.problem { return problem }
    return state.withLock { $0.watched?.watch }.flatMap { watch in
      watch.problem.map { .unwatched(watch.folder, Errno($0)) }
    }
  }

  /// Returns the files of wanted names, ordered by name: regular files, and links to regular files.
  /// A missing folder has none.
  ///
  /// - Throws: `unreadable` or `noLocation` if the folder can't be read.
  func files(
    upTo limit: Int = .max, where isWanted: (String) -> Bool
  ) throws(Defaults.SuiteError) -> [File] {
    for _ in 1...20 {
      let canonical = try folder.follow().string
      watch(canonical)
      let before = try status(of: canonical, where: isWanted)
      follow(before, in: canonical)
      try requireModestSize(of: before, upTo: limit)
      let files = before.filter { !$0.isMissing }.map { $0.read(upTo: limit) }
      if try before == status(of: folder.follow().string, where: isWanted) { return files }
    }
    throw Defaults.SuiteError(
      .unreadable, "The folder changed each time it was read. Stop the program that changes it",
      path: path)
  }

  /// Throws if the files that are read are larger than settings are, as in a folder of data.
  private func requireModestSize(
    of files: [Status], upTo limit: Int
  ) throws(Defaults.SuiteError) {
    let most = Defaults.SizeLimit.value
    let sizes = files.compactMap { $0.version?.size }.filter { $0 <= limit }
    // A size may be so large that the sum would overflow.
    guard sizes.contains(where: { $0 > most }) || sizes.reduce(0, +) > most else { return }
    throw Defaults.SuiteError(
      .unreadable,
      "The folder can't be read: its files are larger than \(most >> 20) MiB in total. "
        + "Use a folder that has only settings",
      path: path)
  }

  // MARK: - Status

  /// The status of a file, which shows whether it is still the same.
  private struct Status: Equatable {
    let name: String
    /// The path that the caller knows.
    let path: String
    /// The canonical path; nil if it can't be followed.
    var canonical: String?
    var version: FileVersion?
    /// Whether there is no file, as at the end of a dangling link, which is watched nevertheless.
    var isMissing = false

    /// Whether the file is empty since less than a second: most programs empty a file before they
    /// write it.
    private var isBeingWritten: Bool {
      guard let version, version.size == 0 else { return false }
      return version.modified.isWithin(seconds: 2, of: time(nil))
    }

    func read(upTo limit: Int) -> File {
      File(
        name: name, path: path,
        data: Result { () throws(Defaults.SuiteError) in
          if let version, version.size > limit { return nil }
          // A path that couldn't be followed is followed again, which throws the reason.
          let file = try StoredFile(path: canonical ?? path)
          return try (isBeingWritten ? file.readWritten() : file.read())?.data
        })
    }
  }

  private func status(
    of canonical: String, where isWanted: (String) -> Bool
  ) throws(Defaults.SuiteError) -> [Status] {
    let names: [String]
    do {
      names = try machineFileSystem.names(inFolder: canonical)
    } catch {
      if error.code == .ENOENT { return [] }
      throw Defaults.SuiteError(.unreadable, "The folder can't be read", path: path, error)
    }
    return names.filter(isWanted).inScalarOrder.compactMap { name in
      var status = Status(name: name, path: path + "/" + name)
      do {
        let file = try CanonicalPath(canonical + "/" + name)
        status.canonical = file.string
        let found = try machineFileSystem.statusIfPresent(of: file.string, followingLinks: false)
        if found?.kind == .folder { return nil }
        status.version = found?.version
        status.isMissing = found == nil
      } catch {
        // Reading the file throws the reason.
      }
      return status
    }
  }

  // MARK: - Watching

  private func watch(_ canonical: String) {
    if state.withLock({ $0.watched?.folder == canonical }) { return }
    // The empty name stands for all names.
    let watch = FolderWatcher.shared.watch(canonical, names: [""]) { [changed, soon] _, event in
      // A program that removes the old file usually adds a new one soon.
      if event != .written { soon.call(after: event == .gone ? 0.05 : 0, changed) }
      return .news
    }
    let old = state.withLock { state in
      defer { state.watched = (canonical, watch) }
      return state.watched
    }
    // A watch takes a lock when it is released.
    withExtendedLifetime(old) {}
  }

  /// Watches the files that events in the folder don't concern.
  private func follow(_ files: [Status], in canonical: String) {
    let linked = files.filter { file in
      guard let target = file.canonical?.utf8 else { return true }
      let start = "\(canonical)/".utf8
      guard target.starts(with: start) else { return true }
      let place = target.dropFirst(start.count)
      // The folders of a Kubernetes volume, whose names begin with two dots, never change.
      let isInSubfolder = place.contains(UInt8(ascii: "/")) && !place.starts(with: "..".utf8)
      return isInSubfolder || Self.watchesEachFile
    }
    var links: [String: WatchedPath] = [:]
    let old = state.withLock { $0.links }
    for file in linked {
      let link = old[file.path] ?? WatchedPath(file.path, includesFile: true, changed: changed)
      // Reading the file throws the error again.
      _ = try? link.follow()
      links[file.path] = link
    }
    state.withLock { $0.links = links }
    withExtendedLifetime(old) {}
  }

  /// Whether the system reports only names that are added to a folder or removed from it.
  private static var watchesEachFile: Bool {
    #if canImport(Darwin)
      true
    #else
      false
    #endif
  }

  /// Events that come together are one call.
  private let soon = Coalescer()
}

/// Makes one call on a background thread of many requests.
final class Coalescer: Sendable {
  private let isScheduled = Atomic(false)
  private let lane = BackgroundLane()

  func call(after seconds: Double, _ body: @escaping @Sendable () -> Void) {
    guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    lane.perform(after: seconds) { [self] in
      isScheduled.store(false, ordering: .releasing)
      body()
    }
  }
}

extension [String] {
  /// The names in the order of their Unicode scalars, as `ls` in the C locale lists them.
  var inScalarOrder: [String] {
    sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
  }
}
