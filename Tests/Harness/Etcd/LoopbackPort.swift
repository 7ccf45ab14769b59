import Foundation
import Synchronization

/// Unused ports of the loopback address.
package enum LoopbackPort {
  /// The ports that were returned to callers in this process.
  private static let taken = Mutex(Set<Int>())

  /// Returns distinct free ports, for programs that listen there later. The system assigns no port
  /// of this range itself, so that none of them becomes a connection's own port meanwhile
  /// (`ip_local_port_range`).
  package static func free(_ count: Int) throws -> [Int] {
    var ports: [Int] = []
    for port in (16_384..<32_768).shuffled() where ports.count < count {
      guard taken.withLock({ $0.insert(port).inserted }), (try? Listener(port: port)) != nil
      else { continue }
      ports.append(port)
    }
    guard ports.count == count else { throw HarnessError("No ports are free") }
    return ports
  }

  /// A socket that listens at a port, by default one that the system chooses.
  package final class Listener: Sendable {
    package let port: Int
    let socket: Descriptor

    package init(port: Int = 0) throws {
      let socket = Descriptor(Self.open())
      var yes: CInt = 1
      setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
      _ = fcntl(socket.number, F_SETFD, FD_CLOEXEC)
      var address = Self.address(port)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          guard bind(socket.number, address, length) == 0, listen(socket.number, 64) == 0 else {
            return CInt(-1)
          }
          return getsockname(socket.number, address, &length)
        }
      }
      guard status == 0 else {
        throw HarnessError("No port \(port): \(String(cString: strerror(errno)))")
      }
      self.port = Int(UInt16(bigEndian: address.sin_port))
      self.socket = socket
    }

    private static func open() -> CInt {
      #if canImport(Glibc)
        Foundation.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      #else
        Foundation.socket(AF_INET, SOCK_STREAM, 0)
      #endif
    }

    static func address(_ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      return address
    }

    /// A connection to a port; nil if no program listens there.
    static func connect(to port: Int) -> Descriptor? {
      let socket = Descriptor(open())
      _ = fcntl(socket.number, F_SETFD, FD_CLOEXEC)
      var address = address(port)
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Foundation.connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return status == 0 ? socket : nil
    }
  }
}
