#if !canImport(Darwin)
  import Defaults
  import Foundation

  /// Makes requests with libcurl on the calling thread, and reuses connections.
  final class CurlTransport: Transport {
    private let tls: Defaults.EtcdSuite.TLS
    private let idle = Lock([CurlRequest]())
    private static let mostIdle = 8

    init(_ tls: Defaults.EtcdSuite.TLS) { self.tls = tls }

    func post(_ request: HTTPRequest, within seconds: Double) throws(GatewayError) -> HTTPAnswer {
      let handle =
        if let known = idle.withLock({ $0.popLast() }) { known } else { try CurlRequest.make() }
      defer {
        idle.withLock { idle in
          if idle.count < Self.mostIdle { idle.append(handle) }
        }
      }
      return try handle.perform(request, tls, within: seconds)
    }

    func stream(
      _ request: HTTPRequest, onData: @escaping @Sendable (Data) -> Void,
      onEnd: @escaping @Sendable (GatewayError) -> Void
    ) -> any TransportStream {
      let stream = CurlStream()
      let isStarted = LibraryThread.start { [tls] in
        do throws(GatewayError) {
          _ = try CurlRequest.make().perform(request, tls, onData: onData, until: stream)
          onEnd(GatewayError(.open, "\(Gateway.name(request.endpoint)) ended the watch"))
        } catch {
          onEnd(error)
        }
      }
      if !isStarted { onEnd(GatewayError(.unsent, "the system has no thread left")) }
      return stream
    }

  }

  /// A stream that runs on its own thread.
  final class CurlStream: TransportStream {
    private struct State {
      var isCancelled = false
      /// Set as long as the thread waits on it.
      var multi: Curl.Handle?
    }

    private let state = Lock(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        if let multi = state.multi { Curl.shared?.wake(multi) }
      }
    }

    /// Stores the handle on which the thread waits; nil when it has stopped waiting.
    func waits(by multi: Curl.Handle?) { state.withLock { $0.multi = multi } }
  }

  /// A request handle of libcurl, used by one thread at a time.
  final class CurlRequest: @unchecked Sendable {
    // Unchecked, because a thread takes the request out of the transport's lock for exclusive use.
    private let curl: Curl
    private let easy: Curl.Handle
    /// Holds the connections.
    private let multi: Curl.Handle
    /// Curl's error message.
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

    /// The received part of an answer.
    private final class Received {
      var data = Data()
      var onData: ((Data) -> Void)?
    }

    /// The part of a request's body that wasn't sent yet.
    private final class Body {
      var rest: Data

      init(_ data: Data) { rest = data }
    }

    static func make() throws(GatewayError) -> CurlRequest {
      try CurlGate.enter { curl throws(GatewayError) in
        guard let easy = curl.makeEasy() else { throw noMemory }
        guard let multi = curl.makeMulti() else {
          curl.drop(easy: easy)
          throw noMemory
        }
        return CurlRequest(curl, easy, multi)
      }
    }

    private static var noMemory: GatewayError {
      GatewayError(.unsent, "the system has no memory left")
    }

    private init(_ curl: Curl, _ easy: Curl.Handle, _ multi: Curl.Handle) {
      self.curl = curl
      self.easy = easy
      self.multi = multi
    }

    deinit {
      // If the process is exiting, the handles are leaked.
      try? CurlGate.enter { curl in
        curl.drop(easy: easy)
        curl.drop(multi: multi)
      }
      words.deallocate()
    }

    /// Makes a request until it has ended, its timeout expires, or the stream is canceled.
    func perform(
      _ request: HTTPRequest, _ tls: Defaults.EtcdSuite.TLS, within seconds: Double? = nil,
      onData: ((Data) -> Void)? = nil, until stream: CurlStream? = nil
    ) throws(GatewayError) -> HTTPAnswer {
      let received = Received()
      received.onData = onData
      return try CurlGate.enter(waitingBy: multi) { curl throws(GatewayError) in
        stream?.waits(by: multi)
        defer { stream?.waits(by: nil) }
        let code = prepare(request, tls, received) {
          if let seconds {
            let milliseconds = min(max(1, seconds * 1_000), Double(CInt.max))
            curl.set(.timeoutMilliseconds, Int(milliseconds), easy)
          }
          curl.add(easy, to: multi)
          while stream?.isCancelled != true, !CurlGate.isClosed, curl.run(multi) {
            curl.wait(multi, milliseconds: 60_000)
          }
          let code = stream?.isCancelled == true ? 0 : curl.result(multi)
          // May wait for a name lookup, for which an exiting process has no time.
          if !CurlGate.isClosed { curl.remove(easy, from: multi) }
          return code
        }
        if let error = failure(code, request) { throw error }
        return HTTPAnswer(status: curl.get(.status, easy), body: received.data)
      }
    }

    /// Sets all options, and runs a body during which their memory stays valid.
    private func prepare(
      _ request: HTTPRequest, _ tls: Defaults.EtcdSuite.TLS, _ received: Received,
      _ body: () -> CInt
    ) -> CInt {
      // Keeps the connections.
      curl.reset(easy)
      words.pointee = 0
      curl.set(.errorBuffer, UnsafeRawPointer(words), easy)
      curl.set(.noSignal, 1, easy)
      curl.set(.keepsAlive, 1, easy)
      curl.set(.url, request.url.absoluteString, easy)
      // A proxy in the environment is meant for other hosts, and could delay the events of a watch.
      curl.set(.proxy, "", easy)
      // HTTP and HTTPS, version 1.1.
      curl.set(.protocols, 3, easy)
      curl.set(.httpVersion, 2, easy)
      for (option, url) in [
        (Curl.Pointer.authority, tls.certificateAuthority), (.certificate, tls.certificate),
        (.key, tls.key),
      ] {
        if let url { curl.set(option, url.path, easy) }
      }
      // Don't wait for permission to send a large body; a member can reject it afterwards.
      var lines = ["Content-Type: application/json", "Expect:"]
      if let token = request.token { lines.append("Authorization: \(token)") }
      let headers = curl.makeList(lines)
      defer { if let headers { curl.drop(list: headers) } }
      curl.set(.headers, headers, easy)
      curl.set(.post, 1, easy)
      curl.set(.postFieldSize, request.body.count, easy)
      curl.set(
        write: { bytes, _, count, target in
          guard let bytes, let target else { return 0 }
          let data = Data(bytes: bytes, count: count)
          let received = Unmanaged<Received>.fromOpaque(target).takeUnretainedValue()
          if let onData = received.onData { onData(data) } else { received.data.append(data) }
          return count
        }, easy)
      return withExtendedLifetime(received) {
        curl.set(.writeData, UnsafeRawPointer(Unmanaged.passUnretained(received).toOpaque()), easy)
        guard request.isRepeatable else { return supply(request.body, body) }
        return request.body.withUnsafeBytes { bytes in
          curl.set(.postFields, bytes.baseAddress, easy)
          return body()
        }
      }
    }

    /// Supplies the body of a request once. If a reused connection ends without an answer, libcurl
    /// would otherwise send the request again.
    private func supply(_ data: Data, _ body: () -> CInt) -> CInt {
      let source = Body(data)
      curl.set(
        read: { buffer, _, count, source in
          guard let buffer, let source else { return 0 }
          let body = Unmanaged<Body>.fromOpaque(source).takeUnretainedValue()
          let part = body.rest.prefix(count)
          part.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(from: bytes)
          }
          body.rest.removeFirst(part.count)
          return part.count
        }, easy)
      return withExtendedLifetime(source) {
        curl.set(.readData, UnsafeRawPointer(Unmanaged.passUnretained(source).toOpaque()), easy)
        return body()
      }
    }

    /// The error of a curl result, according to `libcurl-errors(3)`; nil for success.
    private func failure(_ code: CInt, _ request: HTTPRequest) -> GatewayError? {
      let name = Gateway.name(request.endpoint)
      let said = String(cString: words)
      let detail = said.isEmpty ? "error \(code) of libcurl" : said
      if code == 0 { return nil }
      // If a reused connection ends without an answer, libcurl connects again, and that may fail.
      if curl.get(.requestSize, easy) > 0 { return GatewayError(.open, "\(name): \(detail)") }
      switch code {
      case 5, 6, 7: return GatewayError(.unsent, "\(name) can't be reached: \(detail)")
      case 35, 53, 54, 58, 59, 60, 66, 77, 80, 82, 83, 90, 91:
        return GatewayError(
          .unsent,
          "\(name) isn't trusted, or doesn't trust this program: \(detail). Check "
            + "the certificates and the certificate authority")
      default: return GatewayError(.unsent, "\(name): \(detail)")
      }
    }
  }
#endif
