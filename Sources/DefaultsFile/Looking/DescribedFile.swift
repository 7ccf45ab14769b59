import Defaults
import DefaultsCommand
import Foundation

extension Report {
  /// Prints a file's size, permissions, owner and age. Returns its content, if it can be read.
  mutating func describe(_ topic: String, _ file: RawFile) -> [UInt8]? {
    guard let status = file.status else {
      if let problem = file.problem {
        tell(topic, "\(file.path): it can't be inspected: \(problem)", isProblem: true)
      }
      return nil
    }
    let time = Date(timeIntervalSince1970: TimeInterval(status.version.modified.seconds))
    let facts = [
      file.path, Self.count(status.version.size, "byte"), Self.rights(status),
      Self.owner(status), "written \(time.formatted(.iso8601))",
    ]
    tell(topic, facts.joined(separator: ", "))
    if let problem = file.problem {
      tell(topic, "it can't be read: \(problem)", isProblem: true)
    }
    return file.bytes
  }

  static func count(_ count: Int, _ thing: String) -> String {
    if count == 1 { return "1 \(thing)" }
    let plural = thing.hasSuffix("y") ? thing.dropLast() + "ies" : thing + "s"
    return "\(count) \(plural)"
  }

  private static func rights(_ status: FileStatus) -> String {
    let letters = Array("rwxrwxrwx")
    let mode = letters.indices.map { status.mode >> mode_t(8 - $0) & 1 == 1 ? letters[$0] : "-" }
    return String(mode)
  }

  private static func owner(_ status: FileStatus) -> String {
    let name = getpwuid(status.owner).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
    return "of \(name ?? "user \(status.owner)")"
  }
}
