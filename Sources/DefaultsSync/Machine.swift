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
    return Machine(id: systemID ?? host, name: name.isEmpty ? "device" : name)
  }

  #if os(macOS)
    /// The id of the hardware.
    private static var systemID: String? {
      var bytes = [UInt8](repeating: 0, count: 16)
      var timeout = timespec(tv_sec: 1, tv_nsec: 0)
      guard gethostuuid(&bytes, &timeout) == 0 else { return nil }
      return Data(bytes).base64EncodedString()
    }
  #else
    /// The id of the installation. systemd creates another one for a copied machine.
    private static var systemID: String? {
      let text = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
      let id = text?.trimmingCharacters(in: .whitespacesAndNewlines)
      return id?.isEmpty == false ? id : nil
    }
  #endif
}
