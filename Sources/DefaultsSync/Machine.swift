import Foundation

/// The machine that the program runs on.
struct Machine {
  /// Distinguishes it from a copy of its disk, where the system supports that.
  let id: String
  /// The name for people.
  let name: String

  static var current: Machine {
    let host = ProcessInfo.processInfo.hostName
    let name = String(host.prefix { $0 != "." })
    // systemd creates another id for a copied machine.
    let id = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8))?.trimmingCharacters(
      in: .whitespacesAndNewlines)
    return Machine(
      id: id.flatMap { $0.isEmpty ? nil : $0 } ?? host, name: name.isEmpty ? "device" : name)
  }
}
