import Defaults
import Foundation

/// The processes that have any of several files open, as far as this user can see.
struct FileHolders {
  struct Holder: CustomStringConvertible {
    let process: Int
    let name: String

    var description: String { "process \(process) (\(name))" }
  }

  /// The processes, except this one.
  private(set) var others: [Holder] = []
  /// The number of processes that couldn't be inspected.
  private(set) var hiddenCount = 0

  /// Reads `/proc`. Without it, no process is found.
  init(of paths: [String]) {
    let files = machineFileSystem
    let versions = paths.compactMap { path in
      (try? files.statusIfPresent(of: path, followingLinks: true))?.version
    }
    guard !versions.isEmpty else { return }
    let names = Set(paths.compactMap { $0.split(separator: "/").last })
    let processes = ((try? files.names(inFolder: "/proc")) ?? []).compactMap { Int($0) }
    for process in processes.sorted() where process != Int(getpid()) {
      let folder = "/proc/\(process)/fd"
      let numbers: [String]
      do throws(Errno) {
        numbers = try files.names(inFolder: folder)
      } catch {
        // A process that has ended has no files open.
        if error.code == .EACCES || error.code == .EPERM { hiddenCount += 1 }
        continue
      }
      let isHolder = numbers.contains { number in
        // Compare names first: inspecting a file on an unresponsive server blocks forever.
        let link = "\(folder)/\(number)"
        guard let name = (try? files.destination(ofLink: link))?.split(separator: "/").last,
          names.contains(name), let status = try? files.status(of: link)
        else { return false }
        return versions.contains { $0.isSameFile(as: status.version) }
      }
      if isHolder { others.append(Holder(process: process, name: Self.name(of: process))) }
    }
  }

  private static func name(of process: Int) -> String {
    let data = FileManager.default.contents(atPath: "/proc/\(process)/comm")
    return data.map { String(decoding: $0, as: UTF8.self) }?
      .trimmingCharacters(in: .whitespacesAndNewlines) ?? "?"
  }
}
