import Foundation

/// Turns a child process of a test into one of a user whom permission bits bind.
///
/// Tests may run as root, who may do everything. Call it in the body of an exit test only: there is
/// no way back. Everything in the folder belongs to the user then, and to the group if one is
/// given. Limits count for each user, so who uses one up has to be a `user` of its own.
func becomeOrdinaryUser(
  owning folder: String, user: uid_t = 65_534, group: gid_t = 65_534
) {
  guard getuid() == 0 else { return }
  for name in FileManager.default.enumerator(atPath: folder) ?? .init() {
    guard let name = name as? String else { continue }
    precondition(lchown("\(folder)/\(name)", user, group) == 0)
  }
  precondition(chown(folder, user, group) == 0)
  precondition(setgroups(0, nil) == 0 && setgid(user) == 0 && setuid(user) == 0)
}
