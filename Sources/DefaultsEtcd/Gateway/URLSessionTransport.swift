#if canImport(Darwin)
  import Defaults
  import Foundation

  /// Sends requests with `URLSession`.
  final class URLSessionTransport: Transport {
    /// The timeout for Foundation. The actual timeouts are set elsewhere.
    private static let unlimited: TimeInterval = 1e8

    private let session = URLSession(configuration: configuration)

    deinit { session.invalidateAndCancel() }

    func post(_ request: HTTPRequest, within seconds: Double) throws(GatewayError) -> HTTPAnswer {
      let outcome = Monitor(Result<HTTPAnswer, GatewayError>?.none)
      let endpoint = request.endpoint
      let task = session.dataTask(with: Self.request(request)) { data, response, error in
        let result: Result<HTTPAnswer, GatewayError> =
          if let error {
            .failure(Self.failure(error, at: endpoint))
          } else {
            .success(
              HTTPAnswer(
                status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: data ?? Data()))
          }
        outcome.lock.withLock { $0 = result }
        outcome.wakeAll()
      }
      task.resume()
      let deadline = MonotonicClock.now(plus: .seconds(seconds))
      let result = outcome.wait(until: deadline, for: { $0 != nil }) { result, _ in result }
      guard let result else {
        task.cancel()
        throw GatewayError(.open, "\(Gateway.name(endpoint)) didn't answer in time")
      }
      return try result.get()
    }

    func stream(
      _ request: HTTPRequest, onData: @escaping @Sendable (Data) -> Void,
      onEnd: @escaping @Sendable (GatewayError) -> Void
    ) -> any TransportStream {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      // The session retains its delegate until it is invalidated.
      let session = URLSession(
        configuration: Self.configuration, delegate: Delegate(request.endpoint, onData, onEnd),
        delegateQueue: queue)
      session.dataTask(with: Self.request(request)).resume()
      return Stream(session: session)
    }

    private struct Stream: TransportStream {
      let session: URLSession
      func cancel() { session.invalidateAndCancel() }
    }

    private final class Delegate: NSObject, URLSessionDataDelegate {
      private let endpoint: URL
      private let onData: @Sendable (Data) -> Void
      private let onEnd: @Sendable (GatewayError) -> Void

      init(
        _ endpoint: URL, _ onData: @escaping @Sendable (Data) -> Void,
        _ onEnd: @escaping @Sendable (GatewayError) -> Void
      ) {
        self.endpoint = endpoint
        self.onData = onData
        self.onEnd = onEnd
      }

      func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        onData(data)
      }

      func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
      ) {
        onEnd(
          error.map { URLSessionTransport.failure($0, at: endpoint) }
            ?? GatewayError(.open, "\(Gateway.name(endpoint)) ended the watch"))
        session.finishTasksAndInvalidate()
      }
    }

    private static func request(_ request: HTTPRequest) -> URLRequest {
      var result = URLRequest(url: request.url, timeoutInterval: unlimited)
      result.httpMethod = "POST"
      result.setValue("application/json", forHTTPHeaderField: "Content-Type")
      if let token = request.token { result.setValue(token, forHTTPHeaderField: "Authorization") }
      result.httpBody = request.body
      return result
    }

    private static var configuration: URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = unlimited
      configuration.timeoutIntervalForResource = unlimited
      configuration.httpMaximumConnectionsPerHost = 64
      configuration.urlCache = nil
      return configuration
    }

    private static func failure(_ error: any Error, at endpoint: URL) -> GatewayError {
      let words = error.localizedDescription
      let fate: GatewayError.Fate =
        switch (error as? URLError)?.code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .secureConnectionFailed,
          .serverCertificateUntrusted, .serverCertificateHasBadDate,
          .serverCertificateHasUnknownRoot, .clientCertificateRequired:
          .unsent
        default: .open
        }
      return GatewayError(fate, "\(Gateway.name(endpoint)): \(words)")
    }
  }
#endif
