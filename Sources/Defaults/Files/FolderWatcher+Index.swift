#if canImport(Glibc) || canImport(Musl)
  extension Defaults.FolderWatcher {
    /// Who watches what, so that an event costs the same however many others watch the folder.
    struct Index {
      private struct Entry {
        weak var watch: Watch?
        /// The folder that is watched: that of the watch, or one above it.
        var place: String
        var number: CInt
        /// Those that are heard of; nil for any, where a folder is waited for.
        var names: Set<String>?
      }

      /// The watches of one folder, by its number.
      private struct Folder {
        var ids: Set<ObjectIdentifier> = []
        var ofName: [String: Set<ObjectIdentifier>] = [:]
        var ofAnyName: Set<ObjectIdentifier> = []
      }

      private var entries: [ObjectIdentifier: Entry] = [:]
      private var folders: [CInt: Folder] = [:]

      mutating func add(_ watch: Watch, at place: String, _ number: CInt) {
        let id = ObjectIdentifier(watch)
        let names = place == watch.folder ? watch.names : nil
        entries[id] = Entry(watch: watch, place: place, number: number, names: names)
        folders[number, default: Folder()].ids.insert(id)
        if let names {
          for name in names { folders[number]?.ofName[name, default: []].insert(id) }
        } else {
          folders[number]?.ofAnyName.insert(id)
        }
      }

      /// Takes a watch out; returns the number of its folder if nobody watches that anymore.
      mutating func remove(_ id: ObjectIdentifier) -> CInt? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        let number = entry.number
        folders[number]?.ids.remove(id)
        folders[number]?.ofAnyName.remove(id)
        for name in entry.names ?? [] {
          folders[number]?.ofName[name]?.remove(id)
          if folders[number]?.ofName[name]?.isEmpty == true {
            folders[number]?.ofName[name] = nil
          }
        }
        guard folders[number]?.ids.isEmpty == true else { return nil }
        folders[number] = nil
        return number
      }

      /// Moves a watch; returns the number of its last folder if nobody watches that anymore.
      mutating func move(_ watch: Watch, to place: String, _ number: CInt) -> CInt? {
        let unused = remove(ObjectIdentifier(watch))
        add(watch, at: place, number)
        return unused
      }

      /// Whether a watch watches its own folder, and not one above it.
      func isInPlace(_ watch: Watch) -> Bool {
        entries[ObjectIdentifier(watch)]?.place == watch.folder
      }

      var all: [Watch] { entries.values.compactMap(\.watch) }

      /// The watches that an event of this name in a folder concerns; without a name it is the
      /// folder's own.
      func watches(at number: CInt, _ name: String) -> [Watch] {
        guard let folder = folders[number] else { return [] }
        let ids = name.isEmpty ? folder.ids : folder.ofName[name, default: []]
        return (ids.union(name.isEmpty ? [] : folder.ofAnyName))
          .compactMap { entries[$0]?.watch }
      }
    }
  }
#endif
