import Foundation
import Synchronization

/// A proxy that forwards connections to a port and simulates network failures.
package final class TroubledProxy: Sendable {
  package enum Mode: Sendable, Equatable {
    case passing
    /// Each piece is delayed by the given milliseconds.
    case delaying(Int)
    /// Nothing arrives anymore, without an error.
    case dropping
    /// Requests arrive, but answers don't.
    case droppingAnswers
    /// All connections are closed, and new ones immediately.
    case cutting
  }

  private struct State {
    var mode = Mode.passing
    var connections: [ObjectIdentifier: Connection] = [:]
    var isClosed = false
  }

  /// The port to connect to.
  package let port: Int
  private let target: Int
  private let listener: LoopbackPort.Listener
  private let state = Mutex(State())

  /// Creates a proxy for a port.
  package init(to target: Int) throws {
    self.target = target
    listener = try LoopbackPort.Listener()
    port = listener.port
    Thread.detachNewThread { [weak self, listener] in
      while true {
        let number = accept(listener.socket.number, nil, nil)
        guard number >= 0 || errno == EINTR || errno == ECONNABORTED else { return }
        guard number >= 0 else { continue }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        guard let self, self.take(Descriptor(number)) else { return }
      }
    }
  }

  deinit { close() }

  package var mode: Mode {
    get { state.withLock { $0.mode } }
    set {
      let ended = state.withLock { state in
        state.mode = newValue
        guard newValue == .cutting else { return [Connection]() }
        defer { state.connections = [:] }
        return Array(state.connections.values)
      }
      for connection in ended { connection.end() }
    }
  }

  /// Closes all connections.
  package func close() {
    mode = .cutting
    state.withLock { $0.isClosed = true }
    shutdown(listener.socket.number, CInt(SHUT_RDWR))
  }

  /// Returns whether to accept further connections.
  private func take(_ near: Descriptor) -> Bool {
    if state.withLock({ $0.isClosed }) { return false }
    guard mode != .cutting, let far = LoopbackPort.Listener.connect(to: target) else { return true }
    let connection = Connection(near, far)
    state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
    for (source, target) in [(near, far), (far, near)] {
      let isAnswer = source === far
      Thread.detachNewThread { [weak self] in
        connection.pass(from: source, to: target, isAnswer) { self?.mode ?? .cutting }
        connection.end()
        self?.forget(connection)
      }
    }
    return true
  }

  private func forget(_ connection: Connection) {
    _ = state.withLock { $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  private final class Connection: Sendable {
    private let ends: [Descriptor]

    init(_ near: Descriptor, _ far: Descriptor) { ends = [near, far] }

    func end() { for end in ends { shutdown(end.number, CInt(SHUT_RDWR)) } }

    /// Forwards data until either side closes. After dropped data the connection stays broken, even
    /// if the mode changes.
    func pass(
      from source: Descriptor, to target: Descriptor, _ isAnswer: Bool, mode: () -> Mode
    ) {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var isBroken = false
      while true {
        let count = recv(source.number, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        switch mode() {
        case .passing: break
        case .delaying(let milliseconds): usleep(UInt32(milliseconds * 1_000))
        case .droppingAnswers: isBroken = isBroken || isAnswer
        case .dropping: isBroken = true
        case .cutting: return
        }
        if isBroken { continue }
        var sent = 0
        while sent < count {
          let step = buffer[sent..<count].withUnsafeBytes {
            send(target.number, $0.baseAddress, $0.count, noSignal)
          }
          if step < 0, errno == EINTR { continue }
          guard step > 0 else { return }
          sent += step
        }
      }
    }
  }
}

#if canImport(Darwin)
  private let noSignal: CInt = 0
#else
  private let noSignal = CInt(MSG_NOSIGNAL)
#endif
