#if canImport(Glibc) || canImport(Musl)
  import Foundation

  /// The watched folders, the watches on each, and their parent folders.
  ///
  /// Accessed under the watcher's lock, which a watch takes when it is released. So functions that
  /// access a watch return it: it must not be released for the last time under the lock.
  struct WatchedFolders {
    typealias Watch = FolderWatcher.Watch
    typealias Event = FolderWatcher.Event

    /// A folder path, which may lead to another folder later.
    final class Folder {
      let path: String
      /// nil if the system can't watch it, for the reason in `problem`.
      fileprivate(set) var place: WatchedPlace?
      fileprivate(set) var problem: POSIXErrorCode?
      /// Whether the path may lead to another folder, according to events.
      fileprivate(set) var isSuspect = false
      /// Whether the path must be compared with the folder, since the parent folders may not be
      /// watched yet.
      fileprivate(set) var isNew = true
      /// Grows with each new place.
      fileprivate(set) var revision: UInt64
      fileprivate var entries: [Entry] = []

      fileprivate init(_ path: String, revision: UInt64) {
        self.path = path
        self.revision = revision
      }

      /// Whether the folder itself is watched, not a parent.
      var isInPlace: Bool { place?.path == path }
    }

    fileprivate struct Entry {
      let id: ObjectIdentifier
      weak var watch: Watch?
      let folder: Folder
    }

    private var folders: [String: Folder] = [:]
    /// The watches by each of their names: thousands of suites may be in one folder, and each event
    /// concerns one of them.
    ///
    /// The keys are strings, since the first dictionary with a new key type costs a process 0.1 ms.
    private var entries: [String: [Entry]] = [:]
    /// The watch numbers of the parent folders, by path.
    private var ancestors: [String: CInt] = [:]
    /// Grows with each result of watching a folder.
    private(set) var lastRevision: UInt64 = 0

    var isEmpty: Bool { folders.isEmpty }
    /// Whether parent folders may be unwatched.
    var hasNew: Bool { folders.values.contains { $0.isNew } }
    var hasUnwatched: Bool { folders.values.contains { $0.problem != nil } }
  }

  // MARK: - Watches

  extension WatchedFolders {
    mutating func add(_ watch: Watch) {
      let folder = folders[watch.folder] ?? Folder(watch.folder, revision: nextRevision())
      folders[watch.folder] = folder
      let entry = Entry(id: ObjectIdentifier(watch), watch: watch, folder: folder)
      folder.entries.append(entry)
      for name in watch.names { entries[name, default: []].append(entry) }
    }

    /// Removes a watch, and returns the watch number that is unused after that.
    mutating func remove(_ watch: Watch) -> CInt? {
      let id = ObjectIdentifier(watch)
      for name in watch.names {
        guard let index = entries[name]?.firstIndex(where: { $0.id == id }) else { continue }
        entries[name]?.remove(at: index)
        if entries[name]?.isEmpty == true { entries[name] = nil }
      }
      guard let folder = folders[watch.folder] else { return nil }
      if let index = folder.entries.firstIndex(where: { $0.id == id }) {
        folder.entries.remove(at: index)
      }
      guard folder.entries.isEmpty else { return nil }
      folders[watch.folder] = nil
      return folder.place.flatMap { isUsed($0.number) ? nil : $0.number }
    }

    /// Returns the watches that are affected by an event with this name in a folder: without a
    /// name, all watches of the folder; for a negative number, the watches of all folders. A watch
    /// of the empty name is affected by all names.
    func watches(at number: CInt, _ name: String) -> [Watch] {
      if number >= 0, !name.isEmpty {
        return ((entries[name] ?? []) + (entries[""] ?? [])).compactMap { entry in
          guard entry.folder.isInPlace, entry.folder.place?.number == number else { return nil }
          return entry.watch
        }
      }
      return folders.values.flatMap { folder -> [Watch] in
        guard number < 0 || folder.isInPlace && folder.place?.number == number else { return [] }
        return folder.entries.compactMap(\.watch)
      }
    }
  }

  // MARK: - Places

  extension WatchedFolders {
    private mutating func nextRevision() -> UInt64 {
      lastRevision += 1
      return lastRevision
    }

    func isUsed(_ number: CInt) -> Bool {
      folders.values.contains { $0.place?.number == number } || ancestors.values.contains(number)
    }

    /// Marks as suspect each folder that an event may affect: the folder or a parent was added,
    /// removed or moved, or something was added to the parent that is watched in its place. Returns
    /// whether there are any.
    ///
    /// - Parameter removed: The name of a removed folder. Only its parent reports this while a
    ///   process has a file open that was in the folder: the system keeps both until it is closed.
    func suspect(_ number: CInt, isItself: Bool, removed: String? = nil) -> Bool {
      var isFound = false
      let end = removed.map { "/\($0)/" } ?? "/"
      let changed =
        isItself || removed != nil
        ? ancestors.filter { $0.value == number }.map { ($0.key == "/" ? "" : $0.key) + end } : []
      for folder in folders.values {
        guard
          number < 0 || folder.place?.number == number && (isItself || !folder.isInPlace)
            || changed.contains(where: { "\(folder.path)/".utf8.starts(with: $0.utf8) })
        else { continue }
        folder.isSuspect = true
        isFound = true
      }
      return isFound
    }

    /// Marks a path for comparison with the watched folder. Returns whether the path is watched.
    func verify(_ path: String) -> Bool {
      folders[path]?.isNew = true
      return folders[path] != nil
    }

    /// Returns the folders to watch again: in a round all folders, otherwise new, suspect and
    /// unwatched folders.
    func due(isRound: Bool) -> [(path: String, revision: UInt64, number: CInt?, isSuspect: Bool)] {
      folders.values.compactMap { folder in
        guard isRound || folder.isSuspect || folder.isNew || folder.problem != nil else {
          return nil
        }
        defer { (folder.isSuspect, folder.isNew) = (false, false) }
        return (folder.path, folder.revision, folder.place?.number, folder.isSuspect)
      }
    }

    /// The paths of all folders above the watched ones, and whether each is the parent of a watched
    /// folder. The root is included only as such a parent, since it can't be moved.
    var pathsAbove: [String: Bool] {
      var paths: [String: Bool] = [:]
      for folder in folders.values {
        guard let place = folder.place?.path, place != "/" else { continue }
        let parent = CanonicalPath.folder(of: place)
        var path = parent
        while path != "/", paths[path] == nil {
          paths[path] = false
          path = CanonicalPath.folder(of: path)
        }
        paths[parent] = true
      }
      return paths
    }

    /// Stores the watch numbers of the parent folders, and returns the numbers that are unused
    /// after that.
    mutating func put(ancestors new: [String: CInt]) -> [CInt] {
      let old = ancestors
      ancestors = new
      return old.values.filter { !isUsed($0) }
    }

    /// Stores the result of watching a folder, unless a newer result was stored meanwhile.
    ///
    /// - Returns: The event for the earlier watches of the folder, nil if nothing has changed for
    ///   them; and the watch numbers that are unused after that.
    mutating func put(
      _ result: Result<WatchedPlace, Errno>, for path: String, revision: UInt64? = nil
    ) -> (event: Event?, unused: [CInt]) {
      let new: WatchedPlace? = if case .success(let place) = result { place } else { nil }
      guard let folder = folders[path], revision == nil || folder.revision == revision else {
        folders[path]?.isNew = true
        return (nil, [new?.number].compactMap { $0 }.filter { !isUsed($0) })
      }
      let old = folder.place
      let wasUnwatched = folder.problem != nil
      folder.place = new
      folder.isNew = folder.isNew || old != new
      folder.revision = nextRevision()
      folder.problem = nil
      var event: Event?
      switch result {
      case .success:
        event = wasUnwatched ? .watched : old == nil || new == old ? nil : .unknown
      case .failure(let error):
        folder.problem = error.code
        event = wasUnwatched ? .unknown : .unwatched(error.code)
      }
      return (event, [old?.number].compactMap { $0 }.filter { !isUsed($0) })
    }

    /// Returns the reason why the system can't watch a folder; nil if it watches the folder.
    func problem(of path: String) -> POSIXErrorCode? { folders[path]?.problem }

    /// Returns what is watched for a folder path.
    func place(of path: String) -> WatchedPlace? { folders[path]?.place }

    /// Returns the watches of a folder path.
    func watches(of path: String) -> [Watch] { folders[path]?.entries.compactMap(\.watch) ?? [] }
  }
#endif
