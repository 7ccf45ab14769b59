import Foundation

/// The owner and group of a file, and the rights to it.
struct FilePermissions: Sendable {
  let owner: uid_t
  let group: gid_t
  /// The permission bits; in a file with a list, the group's are the mask of the list.
  private var mode: mode_t
  private var list: AccessList?

  /// The permissions of a file with this status and this value of the list's attribute.
  init(_ status: FileStatus, list bytes: [UInt8]?) {
    (owner, group, mode) = (status.owner, status.group, status.mode & 0o777)
    guard let bytes else { return }
    list = AccessList(bytes)
    // The group bits are a mask of unknown entries.
    if list == nil { mode &= ~0o070 }
  }

  /// Whether another user who is the owner of a file with this status may write this one, as far
  /// as the permissions say.
  ///
  /// Members of a group may be allowed to. That the user is one shows by the group of the user's
  /// file; but in a folder that everybody may write, the folder may have given it that group.
  func allowWriting(byOwnerOf other: FileStatus, inOpenFolder: @autoclosure () -> Bool) -> Bool {
    if other.owner == owner || mode & 0o002 != 0 { return true }
    if let list, list.allowsWriting(user: other.owner) { return true }
    let isGroupAllowed =
      list?.allowsWriting(group: other.group, owningGroup: group)
      ?? (mode & 0o020 != 0 && other.group == group)
    return isGroupAllowed && !inOpenFolder()
  }

  /// The permissions of the journal next to a file that has these: only for users who may write
  /// that file.
  ///
  /// The journal is also the lock. Any user who can open it can take the lock and keep it
  /// (`flock(2)` asks for no more), so that all others wait. A user who may only read the settings
  /// must not be able to do that.
  fileprivate var ofJournal: Self {
    var result = self
    let writers = mode & 0o022
    result.mode = 0o600 | writers | writers << 1
    result.list = list?.ofWriters
    return result
  }

  /// For a file that can't have the owner: the old one keeps the rights where there is a list.
  fileprivate mutating func loseOwner() { list?.addOwner(as: owner) }

  /// For a file that can't have the group: another group gets the rights that everybody has.
  fileprivate mutating func loseGroup() {
    mode = mode & ~0o070 | (mode & 0o007) << 3
    list?.addOwningGroup(as: group)
  }

  /// Gives a file the mode and the list.
  fileprivate func set(on file: any OpenFile) throws(POSIXError) {
    guard let list else {
      // The file may have a list from the default one of its folder.
      try file.removeAccessList()
      return try file.changeMode(to: mode)
    }
    do throws(POSIXError) {
      // Sets the mode as well.
      try file.setAttribute(AccessList.attribute, to: list.bytes)
    } catch {
      if error.isFullOrBrokenDisk { throw error }
      try file.removeAccessList()
      try file.changeMode(to: mode_t(list.mode))
    }
  }
}

extension FileSystem {
  /// The permissions of what a path leads to; nil if nothing is there.
  func permissionsIfPresent(of path: String) throws(POSIXError) -> FilePermissions? {
    try statusIfPresent(of: path).flatMap { status throws(POSIXError) in
      try permissions(of: path, status)
    }
  }

  /// The permissions of a file with this status; nil if it isn't there anymore.
  func permissions(of path: String, _ status: FileStatus) throws(POSIXError) -> FilePermissions? {
    do throws(POSIXError) {
      return FilePermissions(status, list: try attribute(AccessList.attribute, of: path))
    } catch {
      guard error.code == .ENOENT else { throw error }
      return nil
    }
  }
}

extension OpenFile {
  /// Gives a new file the owner, group and rights of another one, as far as we may; without one,
  /// the file is for its owner alone.
  func takePermissions(
    of old: FilePermissions?, forJournal isJournal: Bool = false
  ) throws(POSIXError) {
    guard let old else { return try changeMode(to: 0o600) }
    let new = try status()
    var permissions = isJournal ? old.ofJournal : old
    if new.owner != old.owner {
      do throws(POSIXError) { try changeOwner(to: old.owner) } catch { permissions.loseOwner() }
    }
    if new.group != old.group {
      do throws(POSIXError) { try changeGroup(to: old.group) } catch { permissions.loseGroup() }
    }
    try permissions.set(on: self)
  }

  /// Gives a new file the extended attributes of another one that users and programs have set
  /// (`user.*`); on Apple platforms, all of them and the access list.
  ///
  /// An attribute that the file system or our rights don't let us copy is left out.
  func takeAttributes(of path: String, on fileSystem: some FileSystem) throws(POSIXError) {
    do throws(POSIXError) {
      #if canImport(Darwin)
        try copyAttributes(of: path)
      #else
        for name in try fileSystem.attributeNames(of: path) where name.hasPrefix("user.") {
          do throws(POSIXError) {
            guard let value = try fileSystem.attribute(name, of: path) else { continue }
            try setAttribute(name, to: value)
          } catch {
            if error.isFullOrBrokenDisk { throw error }
          }
        }
      #endif
    } catch {
      if error.isFullOrBrokenDisk { throw error }
    }
  }

  fileprivate func removeAccessList() throws(POSIXError) {
    do throws(POSIXError) {
      try setAttribute(AccessList.attribute, to: nil)
    } catch {
      // There is none, or there are none on this file system.
      guard [.ENODATA, .EOPNOTSUPP, .ENOSYS].contains(error.code) else { throw error }
    }
  }
}

extension POSIXError {
  /// Whether the cause is the disk, and not what was asked for.
  fileprivate var isFullOrBrokenDisk: Bool { [.ENOSPC, .EDQUOT, .EIO].contains(code) }
}
