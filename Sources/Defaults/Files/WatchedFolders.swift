#if canImport(Glibc) || canImport(Musl)
  import Foundation

  /// The folders that are watched, the watches on each, and the folders above them.
  ///
  /// Reached under the watcher's lock, which a watch takes when it ends: each one that is looked at
  /// here is among those returned, so that none ends here if its owner lets go of it meanwhile.
  struct WatchedFolders {
    typealias Watch = FolderWatcher.Watch
    typealias Event = FolderWatcher.Event

    /// A folder, by its path: another folder may take its place.
    final class Folder {
      let path: String
      /// nil if the system has no watch for it, for the reason in `problem`.
      fileprivate(set) var place: WatchedPlace?
      fileprivate(set) var problem: POSIXErrorCode?
      /// Whether the path may lead to another folder, as far as events say.
      fileprivate(set) var isSuspect = false
      /// Whether the path is to be compared with the folder, since the folders above may not be
      /// watched so far.
      fileprivate(set) var isNew = true
      /// Rises with each new place.
      fileprivate(set) var revision: UInt64
      fileprivate var entries: [Entry] = []

      fileprivate init(_ path: String, revision: UInt64) {
        self.path = path
        self.revision = revision
      }

      /// Whether the folder itself is watched, not one above it.
      var isInPlace: Bool { place?.path == path }
      /// Whether one above it is watched, because it doesn't exist.
      fileprivate var isAwaited: Bool { place != nil && !isInPlace }
    }

    fileprivate struct Entry {
      let id: ObjectIdentifier
      weak var watch: Watch?
      let folder: Folder
    }

    private var folders: [String: Folder] = [:]
    /// The watches by each of their names: thousands of suites may be in one folder, and each
    /// event concerns one of them.
    ///
    /// Not by identifier: the first dictionary of a new kind of key costs a process 0.1 ms, in
    /// which the system finds out how the key is hashed.
    private var entries: [String: [Entry]] = [:]
    /// The numbers of the folders above those that are watched, by path.
    private var ancestors: [String: CInt] = [:]
    private var lastRevision: UInt64 = 0
    /// The number of folders that don't exist.
    private var awaited = 0

    var isEmpty: Bool { folders.isEmpty }
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

    /// Takes a watch of these names out; returns the number that is unused then.
    mutating func remove(
      _ watch: ObjectIdentifier, _ names: Set<String>, in path: String
    ) -> CInt? {
      for name in names {
        guard let index = entries[name]?.firstIndex(where: { $0.id == watch }) else { continue }
        entries[name]?.remove(at: index)
        if entries[name]?.isEmpty == true { entries[name] = nil }
      }
      guard let folder = folders[path] else { return nil }
      if let index = folder.entries.firstIndex(where: { $0.id == watch }) {
        folder.entries.remove(at: index)
      }
      guard folder.entries.isEmpty else { return nil }
      folders[path] = nil
      if folder.isAwaited { awaited -= 1 }
      return folder.place.flatMap { isUsed($0.number) ? nil : $0.number }
    }

    /// The watches that an event of this name in a folder concerns; all of the folder without a
    /// name, and all of all folders for a negative number.
    func watches(at number: CInt, _ name: String) -> [Watch] {
      if number >= 0, !name.isEmpty {
        return (entries[name] ?? []).compactMap { entry in
          guard entry.folder.isInPlace, entry.folder.place?.number == number else { return nil }
          return entry.watch
        }
      }
      return folders.values.flatMap { folder -> [Watch] in
        guard number < 0 || folder.isInPlace && folder.place?.number == number else { return [] }
        return watches(of: folder)
      }
    }

    private func watches(of folder: Folder) -> [Watch] { folder.entries.compactMap(\.watch) }
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

    /// Notes that a folder, or one above it, came, went or was moved, or that something came into
    /// the one that is watched for it; returns whether that concerns any folder.
    func suspect(_ number: CInt, isItself: Bool) -> Bool {
      // Mostly it is the write of a file.
      guard isItself || number < 0 || awaited > 0 else { return false }
      var isFound = false
      let moved = isItself ? ancestors.filter { $0.value == number }.map { $0.key + "/" } : []
      for folder in folders.values {
        guard
          number < 0 || folder.place?.number == number && (isItself || !folder.isInPlace)
            || moved.contains(where: { folder.path.utf8.starts(with: $0.utf8) })
        else { continue }
        folder.isSuspect = true
        isFound = true
      }
      return isFound
    }

    /// Has the next look compare a path with the folder that is watched; returns whether one is.
    func verify(_ path: String) -> Bool {
      folders[path]?.isNew = true
      return folders[path] != nil
    }

    /// What is to be watched, again or at last: all folders, or the new ones, those that events have
    /// made suspect, and those without a watch.
    func due(isRound: Bool) -> [(path: String, revision: UInt64, number: CInt?, isSuspect: Bool)] {
      folders.values.compactMap { folder in
        guard isRound || folder.isSuspect || folder.isNew || folder.problem != nil else {
          return nil
        }
        defer { (folder.isSuspect, folder.isNew) = (false, false) }
        return (folder.path, folder.revision, folder.place?.number, folder.isSuspect)
      }
    }

    /// The paths above the folders that are watched, but for the root, which can't be moved.
    var pathsAbove: Set<String> {
      var paths: Set<String> = []
      for folder in folders.values {
        guard var path = folder.place?.path else { continue }
        while path != "/" {
          path = CanonicalPath.folder(of: path)
          if path == "/" || !paths.insert(path).inserted { break }
        }
      }
      return paths
    }

    /// Puts the numbers of the folders above in place; returns those that are unused then.
    mutating func put(ancestors new: [String: CInt]) -> [CInt] {
      let old = ancestors
      ancestors = new
      return old.values.filter { !isUsed($0) }
    }

    /// Puts what watching a folder gave in place, unless that was done meanwhile.
    ///
    /// - Returns: The event for the watches that the folder had before, or nil if nothing is
    ///   different for them; and the numbers that are unused then.
    mutating func put(
      _ result: Result<WatchedPlace, POSIXError>, for path: String, revision: UInt64? = nil
    ) -> (event: Event?, unused: [CInt]) {
      let new: WatchedPlace? = if case .success(let place) = result { place } else { nil }
      guard let folder = folders[path], revision == nil || folder.revision == revision else {
        folders[path]?.isNew = true
        return (nil, [new?.number].compactMap { $0 }.filter { !isUsed($0) })
      }
      let old = folder.place
      let wasUnwatched = folder.problem != nil
      if folder.isAwaited { awaited -= 1 }
      folder.place = new
      if folder.isAwaited { awaited += 1 }
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

    /// Why the system has no watch for a folder; nil if it has one.
    func problem(of path: String) -> POSIXErrorCode? { folders[path]?.problem }

    /// The watches of a folder by its path.
    func watches(of path: String) -> [Watch] { folders[path].map { watches(of: $0) } ?? [] }
  }
#endif
