import Foundation

struct FilePermissions: Equatable, Sendable {
  let owner: uid_t
  let group: gid_t
  /// The permission bits. In a file with an access list, the group bits are the list's mask.
  fileprivate var mode: mode_t
  fileprivate var list: AccessList?

  /// Creates the permissions from a file's status and the bytes of its access list.
  init(_ status: FileStatus, list bytes: [UInt8]?) {
    (owner, group, mode) = (status.owner, status.group, status.mode & 0o777)
    guard let bytes else { return }
    list = AccessList(bytes)
    // The group bits are a mask of unknown entries.
    if list == nil { mode &= ~0o070 }
  }

  /// Returns whether the owner of another file may write this file by these permissions.
  ///
  /// The other file's group shows a group of its owner. In a folder that all users may write, it
  /// shows nothing, because the folder may have determined it.
  func allowWriting(byOwnerOf other: FileStatus, inOpenFolder: @autoclosure () -> Bool) -> Bool {
    if other.owner == owner || mode & 0o002 != 0 { return true }
    if let list, list.allowsWriting(user: other.owner) { return true }
    let isGroupAllowed =
      list?.allowsWriting(group: other.group, owningGroup: group)
      ?? (mode & 0o020 != 0 && other.group == group)
    return isGroupAllowed && !inOpenFolder()
  }

  /// The permissions of the journal next to a file with these permissions: only users who may write
  /// the file may access the journal.
  ///
  /// The journal is also the lock. Any user who can open it can hold the lock (`flock(2)` requires
  /// nothing more) and block all other processes. A user who may only read the settings must not be
  /// able to do that.
  fileprivate var ofJournal: Self {
    var result = self
    let writers = mode & 0o022
    result.mode = 0o600 | writers | writers << 1
    result.list = list?.ofWriters
    return result
  }

  fileprivate func set(on file: any OpenFile, isNew: Bool) throws(Errno) {
    do throws(Errno) {
      // The list includes the mode.
      if let list { return try file.setAttribute(AccessList.attribute, to: list.bytes) }
    } catch {
      if error.isFullOrBrokenDisk { throw error }
    }
    var mode = list.map { mode_t($0.mode) } ?? mode
    // The file may have inherited a list from its folder. If that can't be removed, the group bits
    // limit it.
    if try !file.removeAccessList() { mode &= ~0o070 }
    try file.setMode(mode, isNew: isNew)
  }
}

extension FileSystem {
  /// Returns the permissions of a file, following links; nil if there is none.
  func permissionsIfPresent(of path: String) throws(Errno) -> FilePermissions? {
    try statusIfPresent(of: path).flatMap { status throws(Errno) in
      try permissions(of: path, status)
    }
  }

  /// Returns the permissions of a file with this status; nil if it no longer exists.
  func permissions(of path: String, _ status: FileStatus) throws(Errno) -> FilePermissions? {
    try Errno.ifFound { () throws(Errno) in
      FilePermissions(status, list: try attribute(AccessList.attribute, of: path))
    }
  }
}

extension OpenFile {
  /// Copies the owner, group and permissions of another file to a new file, as far as the system
  /// allows that. Without another file, only the owner gets access.
  ///
  /// Some file systems assign the modes of all files and reject any other mode. On other file
  /// systems, a new file has the mode 0600 until this changes it, so if that fails, the file isn't
  /// more open than it must be. `isNew` is false if this may have changed the mode before.
  func takePermissions(
    of old: FilePermissions?, forJournal isJournal: Bool = false, isNew: Bool = true
  ) throws(Errno) {
    guard let old else { return try setMode(0o600, isNew: isNew) }
    let new = try status()
    var permissions = isJournal ? old.ofJournal : old
    if new.owner != old.owner {
      do throws(Errno) {
        try changeOwner(to: old.owner)
      } catch {
        // A list still permits the old owner.
        permissions.list?.addOwner(as: old.owner)
      }
    }
    if new.group != old.group {
      do throws(Errno) {
        try changeGroup(to: old.group)
      } catch {
        // The group that the file has gets the permissions of all others.
        permissions.mode = permissions.mode & ~0o070 | (permissions.mode & 0o007) << 3
        permissions.list?.addOwningGroup(as: old.group)
      }
    }
    try permissions.set(on: self, isNew: isNew)
  }

  /// Copies the extended attributes of users and programs (`user.*`) from another file to a new
  /// file; on Apple platforms, all attributes and the access list.
  ///
  /// Attributes that the file system or the permissions don't allow to copy are skipped.
  func takeAttributes(of path: String, on fileSystem: some FileSystem) throws(Errno) {
    do throws(Errno) {
      #if canImport(Darwin)
        try copyAttributes(of: path)
      #else
        for name in try fileSystem.attributeNames(of: path) where name.hasPrefix("user.") {
          do throws(Errno) {
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

  fileprivate func setMode(_ mode: mode_t, isNew: Bool) throws(Errno) {
    do throws(Errno) {
      try changeMode(to: mode)
    } catch {
      guard isNew, error.isUnsupported else { throw error }
    }
  }

  /// Removes the access list. Returns false if the file may still have one.
  fileprivate func removeAccessList() throws(Errno) -> Bool {
    do throws(Errno) {
      try setAttribute(AccessList.attribute, to: nil)
    } catch {
      if error.code == .EPERM { return false }
      // The file has no list, or the file system doesn't support lists.
      guard [.ENODATA, .EOPNOTSUPP, .ENOSYS].contains(error.code) else { throw error }
    }
    return true
  }
}

extension Errno {
  /// Whether the disk caused the error.
  fileprivate var isFullOrBrokenDisk: Bool { [.ENOSPC, .EDQUOT, .EIO].contains(code) }
}
