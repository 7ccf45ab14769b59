import Foundation

/// Keeping a damaged file under another name, so that a new one can take its place and nothing is
/// lost.
extension StoredFile {
  /// How many damaged files are kept beside each file; older ones go.
  static let quarantineCapacity = 5

  /// Gives a file a second name, `<name>.corrupt-<time>`, in its folder and returns that path;
  /// nil, with everything as it was, if the file is gone or isn't the version that was read.
  ///
  /// The file stays in its place too until another one replaces it, so that at no time there is
  /// none. The time is UTC, `20260131T235959Z`; `-2`, `-3` and so on follow if the name is taken.
  /// Nothing is ever overwritten; where a file system has no second names, the bytes are copied.
  /// A file that has such a name already keeps it. `asCopy` keeps a copy of what was read, for a
  /// file that goes on being written. Whoever may write the folder can put files and links under
  /// such names, which count for nothing and are left alone. Throws `unwritable`.
  func setAside(
    _ content: Content, now: Date = .now, asCopy: Bool = false
  ) throws(SuiteError) -> String? {
    let file = try target()
    return try SuiteError.explaining(
      .unwritable, "The damaged file can't be set aside", path: file.path
    ) { () throws(POSIXError) in
      let present = try fileSystem.statusIfPresent(of: file.path, followingLinks: false)
      guard present?.version == content.version else { return nil }
      for earlier in asCopy ? [] : try file.filesSetAside(by: content.owner)
      where earlier.version == content.version {
        return earlier.path
      }
      let path = try file.addQuarantineName(content.data, now, asCopy: asCopy)
      try fileSystem.synchronizeFolder(file.folder)
      for old in try file.filesSetAside(by: content.owner).dropLast(Self.quarantineCapacity) {
        try fileSystem.removeName(old.path)
      }
      return path
    }
  }

  /// The files that were set aside, the oldest first: by the user of this program, or by the
  /// owner of the settings file.
  private func filesSetAside(
    by owner: uid_t
  ) throws(POSIXError) -> [(path: String, version: FileVersion)] {
    var files: [(path: String, version: FileVersion)] = []
    for name in try quarantineNames() {
      let path = location.sibling(named: name)
      let status = try fileSystem.statusIfPresent(of: path, followingLinks: false)
      guard let status, status.kind == .file, [geteuid(), owner].contains(status.owner) else {
        continue
      }
      files.append((path, status.version))
    }
    return files
  }

  /// The names that are those of files which were set aside, the oldest first.
  package func quarantineNames() throws(POSIXError) -> [String] {
    let prefix = quarantinePrefix
    // By length first, so that `-10` comes after `-9`; times have one length.
    func order(_ name: String) -> (Substring, Int, String) {
      (name.dropFirst(prefix.count).prefix(16), name.count, name)
    }
    return try fileSystem.names(inFolder: folder)
      .filter { $0.hasPrefix(prefix) && Self.isTime($0.dropFirst(prefix.count)) }
      .sorted { order($0) < order($1) }
  }

  /// Whether this is what follows the prefix of our own names: a time, and perhaps a number. A
  /// person's `<name>.corrupt-notes` isn't ours to remove.
  private static func isTime(_ text: Substring) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
    let form = text.utf8.prefix(16).map { isDigit($0) ? UInt8(ascii: "0") : $0 }
    guard form.elementsEqual("00000000T000000Z".utf8) else { return false }
    let rest = text.utf8.dropFirst(16)
    return rest.isEmpty
      || rest.first == UInt8(ascii: "-") && rest.count > 1 && rest.dropFirst().allSatisfy(isDigit)
  }

  private func addQuarantineName(
    _ data: Data, _ now: Date, asCopy: Bool
  ) throws(POSIXError) -> String {
    let time = now.formatted(
      Date.ISO8601FormatStyle(
        dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted,
        timeZone: .gmt))
    // Behind those of the same second, so that the order of the names is that of the times.
    let start = quarantinePrefix + time
    let numbers = try quarantineNames().filter { $0.hasPrefix(start) }
      .map { Int(digits: $0.dropFirst(start.utf8.count + 1)) ?? 1 }
    var number = (numbers.max() ?? 0) + 1
    while true {
      let aside = location.sibling(named: start + (number == 1 ? "" : "-\(number)"))
      do throws(POSIXError) {
        if asCopy { throw POSIXError(.EOPNOTSUPP) }
        try fileSystem.addName(aside, to: path)
        return aside
      } catch {
        switch error.code {
        case .EEXIST: number += 1
        case .EPERM, .EOPNOTSUPP, .ENOSYS, .EMLINK:
          guard try fileSystem.statusIfPresent(of: aside, followingLinks: false) == nil else {
            number += 1
            continue
          }
          try temporary().save(data, as: aside)
          return aside
        default: throw error
        }
      }
    }
  }

  /// How the names of what is set aside start; there is room for the time behind it.
  private var quarantinePrefix: String {
    FileName.joining(location.name, ".corrupt-", limit: FileName.byteLimit - 24)
  }
}
