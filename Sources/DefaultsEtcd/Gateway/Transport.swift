import Defaults
import Foundation

/// Sends requests to the members of a cluster.
///
/// On Linux this uses libcurl directly. `URLSession` of Swift 6.3 crashes there at an answer with
/// trailers, which etcd's gateway sends with every error (swift-corelibs-foundation, issue 5285),
/// and doesn't support a custom certificate authority.
protocol Transport: Sendable {
  /// Posts a request and returns the whole answer, whatever its status. Blocks the thread for at
  /// most the given seconds.
  func post(_ request: HTTPRequest, within seconds: Double) throws(GatewayError) -> HTTPAnswer

  /// Posts a request with an endless answer. The closures are called on one thread at a time,
  /// `onEnd` when the answer has ended nevertheless.
  func stream(
    _ request: HTTPRequest, onData: @escaping @Sendable (Data) -> Void,
    onEnd: @escaping @Sendable (GatewayError) -> Void
  ) -> any TransportStream
}

/// An answer that is still being received.
protocol TransportStream: Sendable {
  /// Ends the stream soon.
  func cancel()
}

struct HTTPRequest: Sendable {
  let endpoint: URL
  let path: String
  /// The value of `Authorization`.
  let token: String?
  let body: Data

  var url: URL { endpoint.appending(path: path) }

  /// Whether the transport may send the request again by itself. The sender of a transaction must
  /// know that it was sent before.
  var isRepeatable: Bool { path != "/v3/kv/txn" }
}

struct HTTPAnswer: Sendable {
  let status: Int
  let body: Data
}

extension Defaults.EtcdSuite.TLS {
  /// The transport of this system.
  var transport: any Transport {
    #if canImport(Darwin)
      URLSessionTransport()
    #else
      CurlTransport(self)
    #endif
  }
}
