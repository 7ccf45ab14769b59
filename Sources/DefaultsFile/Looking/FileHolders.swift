import Defaults
import Foundation

/// The processes that have one of some files open, as far as this user may know.
struct FileHolders {
  struct Holder: CustomStringConvertible {
    let process: Int
    let name: String

    var description: String { "process \(process) (\(name))" }
  }

  /// The others, without this process.
  private(set) var others: [Holder] = []
  /// How many processes couldn't be looked at.
  private(set) var hiddenCount = 0

  /// Looks at what the system says about open files; where it says nothing, there are none.
  init(of paths: [String]) {
    let files = Defaults.localFileSystem
    let versions = paths.compactMap { path in
      (try? files.statusIfPresent(of: path, followingLinks: true))?.version
    }
    guard !versions.isEmpty else { return }
    let names = Set(paths.compactMap { $0.split(separator: "/").last })
    let processes = ((try? files.names(inFolder: "/proc")) ?? []).compactMap { Int($0) }
    for process in processes.sorted() where process != Int(getpid()) {
      let folder = "/proc/\(process)/fd"
      let numbers: [String]
      do throws(POSIXError) {
        numbers = try files.names(inFolder: folder)
      } catch {
        // One that has ended meanwhile hides nothing.
        if error.code == .EACCES || error.code == .EPERM { hiddenCount += 1 }
        continue
      }
      let isHolder = numbers.contains { number in
        // By name first: to look at a file on a server that doesn't answer takes forever.
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
