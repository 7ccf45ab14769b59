import Defaults
import Foundation

/// What carries requests to the members of a cluster, and answers back.
///
/// On Linux that is libcurl itself, on which `URLSession` stands there, and not `URLSession`: with
/// Swift 6.3 that ends the program at an answer with trailers, and etcd's gateway answers every error
/// with some (swift-corelibs-foundation, issue 5285). It also takes no certificate authority.
protocol Transport: Sendable {
  /// Posts a request, and returns the whole answer, whatever its status is. Blocks the thread, for so
  /// many seconds at most.
  func post(_ request: HTTPRequest, within seconds: Double) throws(GatewayError) -> HTTPAnswer

  /// Posts a request whose answer doesn't end. The closures are called by one thread at a time, the
  /// second one when it has ended all the same.
  func stream(
    _ request: HTTPRequest, onData: @escaping @Sendable (Data) -> Void,
    onEnd: @escaping @Sendable (GatewayError) -> Void
  ) -> any TransportStream
}

/// An answer that is still coming.
protocol TransportStream: Sendable {
  /// Ends it, soon.
  func cancel()
}

struct HTTPRequest: Sendable {
  let endpoint: URL
  let path: String
  /// The value of `Authorization`.
  let token: String?
  let body: Data

  var url: URL { endpoint.appending(path: path) }
}

struct HTTPAnswer: Sendable {
  let status: Int
  let body: Data
}

extension Defaults.EtcdSuite.TLS {
  /// What carries requests on this system.
  var transport: any Transport {
    #if canImport(Darwin)
      URLSessionTransport()
    #else
      CurlTransport(self)
    #endif
  }
}
