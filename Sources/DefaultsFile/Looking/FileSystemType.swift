import Foundation

/// The file systems on which settings files aren't reliable.
enum FileSystemType {
  private static let ofNetworks: Set<String> = [
    "9p", "afs", "ceph", "cifs", "coda", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4",
    "ocfs2", "smb3", "smbfs", "virtiofs", "vboxsf",
  ]

  /// The type of a network file system, where locks and change notifications aren't reliable; nil
  /// for any other type, or if the system doesn't tell. Reads the list of mounts instead of the
  /// path, which may be on an unresponsive server.
  static func network(at path: String) -> String? {
    guard let data = FileManager.default.contents(atPath: "/proc/self/mountinfo") else {
      return nil
    }
    var best: (point: String, type: String) = ("", "")
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 4, let dash = words.firstIndex(of: "-"), dash + 1 < words.endIndex
      else { continue }
      let point = words[4].replacing("\\040", with: " ")
      let isAbove = path == point || path.hasPrefix(point.hasSuffix("/") ? point : point + "/")
      // If several file systems are mounted at one place, the last one is visible.
      if isAbove, point.count >= best.point.count {
        best = (String(point), String(words[dash + 1]))
      }
    }
    let isNetwork = ofNetworks.contains(best.type) || best.type.hasPrefix("fuse.sshfs")
    return isNetwork ? best.type : nil
  }
}
