import Foundation

/// The quarantine of a damaged file: it gets another name, so that a new file can replace it and
/// nothing is lost.
extension StoredFile {
  /// The number of quarantined files that are kept next to each file.
  static let quarantineCapacity = 5

  /// Adds the name `<name>.corrupt-<date>` in the same folder to the file, and removes the oldest
  /// quarantined files beyond the capacity.
  ///
  /// The file also keeps its name until another file replaces it, so that the name always exists.
  /// The date is UTC, `20260131T235959Z`; `-2`, `-3` and so on follow if the name is taken. Nothing
  /// is ever overwritten. If the file system doesn't support second names, the bytes are copied. A
  /// file that is already quarantined keeps that name. Other users who may write the folder can add
  /// files and links with such names; these are ignored and never removed.
  ///
  /// - Parameters:
  ///   - content: The content that was read from the file.
  ///   - now: The date in the name; by default the current date.
  ///   - asCopy: Whether to copy the bytes, for a file that is still written.
  /// - Returns: The path of the new name; nil, with nothing changed, if the file doesn't exist or
  ///   doesn't have the version that was read.
  /// - Throws: `unwritable`.
  package func setAside(
    _ content: Content, now: Date? = nil, asCopy: Bool = false
  ) throws(SuiteError) -> String? {
    let file = try target()
    return try SuiteError.explaining(
      .unwritable, "The damaged file can't be quarantined", path: file.path
    ) { () throws(Errno) in
      let present = try fileSystem.statusIfPresent(of: file.path, followingLinks: false)
      guard present?.version == content.version else { return nil }
      // Listed before the new name exists, so that the new name, and names that other processes add
      // meanwhile, aren't removed below.
      let earlier = try file.quarantinedFiles(of: content.owner)
      if !asCopy, let same = earlier.first(where: { $0.version == content.version }) {
        return file.location.sibling(named: same.name)
      }
      let time = now ?? Date(timeIntervalSince1970: Double(fileSystem.now / 1_000_000))
      let name = try file.addQuarantineName(content.data, time, asCopy: asCopy)
      try fileSystem.synchronizeFolder(file.folder)
      for old in file.oldest(of: earlier.map(\.name), beside: name) {
        do throws(Errno) {
          try fileSystem.removeName(file.location.sibling(named: old))
        } catch {
          // Another process may have removed it. In a folder such as /tmp, only its owner may.
          guard [.ENOENT, .EPERM, .EACCES].contains(error.code) else { throw error }
        }
      }
      return file.location.sibling(named: name)
    }
  }

  /// Returns the quarantined files of the program's user and of the settings file's owner, sorted
  /// by name.
  private func quarantinedFiles(
    of owner: uid_t
  ) throws(Errno) -> [(name: String, version: FileVersion)] {
    var files: [(name: String, version: FileVersion)] = []
    for name in try quarantineNames() {
      let path = location.sibling(named: name)
      let status = try fileSystem.statusIfPresent(of: path, followingLinks: false)
      guard let status, status.kind == .file, [geteuid(), owner].contains(status.owner) else {
        continue
      }
      files.append((name, status.version))
    }
    return files
  }

  /// Returns the names to remove so that one more name doesn't exceed the capacity.
  ///
  /// A name that is later than the new name was added before the clock was set back, so its file is
  /// older than the files with earlier names.
  private func oldest(of names: [String], beside newest: String) -> [String] {
    let later = names.firstIndex { isLater($0, newest) } ?? names.endIndex
    return (names[later...] + names[..<later]).dropLast(Self.quarantineCapacity - 1)
  }

  /// Returns the names of quarantined files next to this file, sorted by their time and number.
  package func quarantineNames() throws(Errno) -> [String] {
    let prefix = quarantinePrefix
    return try fileSystem.names(inFolder: folder)
      .filter { $0.hasPrefix(prefix) && Self.isTime($0.dropFirst(prefix.count)) }
      .sorted { isLater($1, $0) }
  }

  /// Returns whether the time and number of the first name are later: `-10` follows `-9`.
  private func isLater(_ name: String, _ other: String) -> Bool {
    name.compare(other, options: .numeric) == .orderedDescending
  }

  /// Returns whether a text is a suffix that the library creates: a time and possibly a number. So
  /// a file that a person named `<name>.corrupt-notes` is never removed.
  private static func isTime(_ text: Substring) -> Bool {
    let form = text.utf8.prefix(16).map { $0.isDigit ? UInt8(ascii: "0") : $0 }
    guard form.elementsEqual("00000000T000000Z".utf8) else { return false }
    let rest = text.utf8.dropFirst(16)
    // A longer number isn't the library's. The number after it may be too long for a name.
    return rest.isEmpty
      || rest.first == UInt8(ascii: "-") && 2...7 ~= rest.count
        && rest.dropFirst().allSatisfy(\.isDigit)
  }

  /// Adds a free name with this time to the file, or to a copy of its bytes, and returns the name.
  private func addQuarantineName(
    _ data: Data, _ now: Date, asCopy: Bool
  ) throws(Errno) -> String {
    let time = now.formatted(
      Date.ISO8601FormatStyle(
        dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted,
        timeZone: .gmt))
    // After all names with the same second, so that names sort by time.
    let start = quarantinePrefix + time
    let numbers = try quarantineNames().filter { $0.hasPrefix(start) }
      .map { Int(digits: $0.dropFirst(start.count + 1)) ?? 1 }
    var number = (numbers.max() ?? 0) + 1
    while true {
      let name = start + (number == 1 ? "" : "-\(number)")
      let aside = location.sibling(named: name)
      do throws(Errno) {
        if asCopy { throw Errno(.EOPNOTSUPP) }
        try fileSystem.addName(aside, to: path)
        return name
      } catch {
        switch error.code {
        case .EEXIST: number += 1
        case .EPERM, .EACCES, .EOPNOTSUPP, .ENOSYS, .EMLINK:
          guard try fileSystem.statusIfPresent(of: aside, followingLinks: false) == nil else {
            number += 1
            continue
          }
          let copy = try temporary()
          try copy.write(data)
          try copy.file.takePermissions(of: try fileSystem.permissionsIfPresent(of: path))
          try copy.file.takeAttributes(of: path, on: fileSystem)
          try copy.file.synchronize()
          try copy.rename(to: aside)
          return name
        default: throw error
        }
      }
    }
  }

  /// The prefix of the names of quarantined files, short enough for the time after it.
  private var quarantinePrefix: String {
    FileName.joining(location.name, ".corrupt-", limit: FileName.byteLimit - 24)
  }
}
