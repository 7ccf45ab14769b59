import Foundation

extension Defaults {
  /// Keeping a damaged file under another name, so that a new one can take its place and nothing is
  /// lost.
  enum FileQuarantine {
    /// How many damaged files are kept beside each file; older ones go.
    static let capacity = 5

    /// Gives a file a second name, `<name>.corrupt-<time>`, in its folder and returns that path;
    /// nil, with everything as it was, if the file is gone or isn't the version that was read.
    ///
    /// The file stays in its place too until another one replaces it, so that at no time there is
    /// none. The time is UTC, `20260131T235959Z`; `-2`, `-3` and so on follow if the name is taken.
    /// Nothing is ever overwritten; where a file system has no second names, the bytes are copied.
    /// A file that has such a name already keeps it. `asCopy` keeps a copy of what was read, for a
    /// file that goes on being written. Whoever may write the folder can put files and links under
    /// such names, which count for nothing and are left alone. Throws `unwritable`.
    static func setAside(
      _ path: String, _ content: FileReading.Content, now: Date = .now, asCopy: Bool = false,
      following isFollowed: Bool = true, on fileSystem: any FileSystem = LocalFileSystem()
    ) throws(SuiteError) -> String? {
      let path =
        isFollowed
        ? try CanonicalPath(path, failingAs: .unwritable, on: fileSystem)
        : CanonicalPath(unfollowed: path)
      let problem = "The damaged file can't be set aside"
      return try SuiteError.explaining(.unwritable, problem, path: path.string) {
        () throws(POSIXError) in
        let present = try fileSystem.statusIfPresent(of: path.string, followingLinks: false)
        guard present?.version == content.version else { return nil }
        for aside in asCopy ? [] : try own(beside: path, content.owner, on: fileSystem)
        where aside.version == content.version {
          return aside.path
        }
        let aside = try addName(to: path, content.data, now, asCopy: asCopy, on: fileSystem)
        try fileSystem.synchronizeFolder(path.folder)
        for old in try own(beside: path, content.owner, on: fileSystem).dropLast(capacity) {
          try fileSystem.removeName(old.path)
        }
        return aside
      }
    }

    /// The files that were set aside, the oldest first: by the user of this program, or by the
    /// owner of the settings file.
    private static func own(
      beside path: CanonicalPath, _ owner: uid_t, on fileSystem: any FileSystem
    ) throws(POSIXError) -> [(path: String, version: FileVersion)] {
      var files: [(path: String, version: FileVersion)] = []
      for name in try earlier(beside: path, on: fileSystem) {
        let aside = path.sibling(named: name)
        let status = try fileSystem.statusIfPresent(of: aside, followingLinks: false)
        guard let status, status.kind == .file, [geteuid(), owner].contains(status.owner) else {
          continue
        }
        files.append((aside, status.version))
      }
      return files
    }

    /// The names that are those of files which were set aside, the oldest first.
    private static func earlier(
      beside path: CanonicalPath, on fileSystem: any FileSystem
    ) throws(POSIXError) -> [String] {
      let prefix = prefix(for: path.name)
      // By length first, so that `-10` comes after `-9`; times have one length.
      func order(_ name: String) -> (Substring, Int, String) {
        (name.dropFirst(prefix.count).prefix(16), name.count, name)
      }
      return try fileSystem.names(inFolder: path.folder)
        .filter { $0.hasPrefix(prefix) && isTime($0.dropFirst(prefix.count)) }
        .sorted { order($0) < order($1) }
    }

    /// Whether this is what follows the prefix of our own names: a time, and perhaps a number. A
    /// person's `<name>.corrupt-notes` isn't ours to remove.
    private static func isTime(_ text: Substring) -> Bool {
      let form = text.utf8.prefix(16).map { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt8(ascii: "0") : byte
      }
      guard form.elementsEqual("00000000T000000Z".utf8) else { return false }
      let rest = text.utf8.dropFirst(16)
      return rest.isEmpty
        || rest.first == UInt8(ascii: "-") && rest.count > 1
          && rest.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func addName(
      to path: CanonicalPath, _ data: Data, _ now: Date, asCopy: Bool,
      on fileSystem: any FileSystem
    ) throws(POSIXError) -> String {
      let time = now.formatted(
        Date.ISO8601FormatStyle(
          dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted,
          timeZone: .gmt))
      // Behind those of the same second, so that the order of the names is that of the times.
      let start = prefix(for: path.name) + time
      let numbers = try earlier(beside: path, on: fileSystem).filter { $0.hasPrefix(start) }
        .map { Int($0.dropFirst(start.utf8.count + 1)) ?? 1 }
      var number = (numbers.max() ?? 0) + 1
      while true {
        let aside = path.sibling(named: start + (number == 1 ? "" : "-\(number)"))
        do throws(POSIXError) {
          if asCopy { throw POSIXError(.EOPNOTSUPP) }
          try fileSystem.addName(aside, to: path.string)
          return aside
        } catch {
          switch error.code {
          case .EEXIST: number += 1
          case .EPERM, .EOPNOTSUPP, .ENOSYS, .EMLINK:
            guard try fileSystem.statusIfPresent(of: aside, followingLinks: false) == nil else {
              number += 1
              continue
            }
            let copy = try TemporaryFile(beside: path, on: fileSystem)
            try copy.write(data)
            try copy.file.synchronize()
            try copy.rename(to: aside)
            return aside
          default: throw error
          }
        }
      }
    }

    /// How the names of what is set aside start; there is room for the time behind it.
    private static func prefix(for name: String) -> String {
      FileName.joining(name, ".corrupt-", limit: FileName.byteLimit - 24)
    }
  }
}
