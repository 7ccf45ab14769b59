import Foundation
import Synchronization

/// A server on a loopback port that answers each request with the result of a closure and closes
/// the connection, to imitate a broken server or a program other than etcd.
package final class CannedServer: Sendable {
  /// The URL of its port.
  package var url: URL { EtcdMember.url(listener.port) }

  private let listener: LoopbackPort.Listener
  private let requests = Mutex<[(path: String, body: String)]>([])

  /// Starts a server that answers a request for a path with the closure's bytes.
  package init(_ answer: @escaping @Sendable (_ path: String) -> Data) throws {
    listener = try LoopbackPort.Listener()
    Thread.detachNewThread { [weak self, listener] in
      while true {
        let number = accept(listener.socket.number, nil, nil)
        guard number >= 0 else { return }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        let connection = Descriptor(number)
        guard self != nil else { return }
        Thread.detachNewThread { [weak self] in self?.serve(connection, answer) }
      }
    }
  }

  deinit { shutdown(listener.socket.number, CInt(SHUT_RDWR)) }

  /// The paths of all requests so far.
  package var asked: [String] { requests.withLock { $0.map(\.path) } }

  /// The bodies of all requests so far.
  package var bodies: [String] { requests.withLock { $0.map(\.body) } }

  /// An answer with JSON.
  package static func json(_ body: String, status: String = "200 OK") -> Data {
    Data(
      ("HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nConnection: close\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
  }

  private func serve(_ connection: Descriptor, _ answer: (String) -> Data) {
    var request = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !Self.isWhole(request) {
      let count = recv(connection.number, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request.append(contentsOf: buffer[..<count])
    }
    let text = String(decoding: request, as: UTF8.self)
    let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    let body = text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first
    requests.withLock { $0.append((path, body.map(String.init) ?? "")) }
    let bytes = answer(path)
    var sent = 0
    while sent < bytes.count {
      let step = bytes.dropFirst(sent).withUnsafeBytes {
        send(connection.number, $0.baseAddress, $0.count, noSignal)
      }
      guard step > 0 else { return }
      sent += step
    }
    shutdown(connection.number, CInt(SHUT_RDWR))
  }

  /// Whether a request has arrived with its whole body.
  private static func isWhole(_ request: Data) -> Bool {
    guard let end = request.range(of: Data("\r\n\r\n".utf8)) else { return false }
    let head = String(decoding: request[..<end.lowerBound], as: UTF8.self).lowercased()
    let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    let length = line.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    return request.count - end.upperBound >= length
  }
}

#if canImport(Darwin)
  private let noSignal: CInt = 0
#else
  private let noSignal = CInt(MSG_NOSIGNAL)
#endif
