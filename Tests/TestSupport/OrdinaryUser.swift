import Foundation

/// Changes a child process of a test to a user who is subject to permission bits.
///
/// Tests may run as root, which permission bits don't restrict. Call it only in the body of an exit
/// test: it can't be undone. Everything in the folder then belongs to the user, and to the group if
/// one is given. Limits are counted per user, so a test that exhausts one needs a `user` of its
/// own.
package func becomeOrdinaryUser(
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
