import Defaults
import Foundation

/// Requests to a cluster through the JSON gateway of its members.
///
/// A request blocks its thread, at most for the given time.
final class Gateway: Sendable {
  let endpoints: Endpoints
  let transport: any Transport
  private let user: Defaults.EtcdSuite.User?
  private let access = Lock(Access.unknown)
  /// Called when a cluster turns out to have no authentication although there is a user, and when
  /// it has authentication again.
  private let onOpen: @Sendable (_ isOpen: Bool) -> Void

  /// The authentication of a user's requests.
  private enum Access: Equatable {
    case unknown
    case token(String)
    /// None, since the cluster has no authentication.
    case open
  }

  init(
    _ endpoints: [URL], user: Defaults.EtcdSuite.User?, by transport: any Transport,
    onOpen: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    self.endpoints = Endpoints(endpoints)
    self.user = user
    self.transport = transport
    self.onOpen = onOpen
  }

  /// Sends a request to a member. Throws when the given seconds are over.
  func call<Answer: Decodable>(
    _ path: String, _ message: some Encodable, at endpoint: URL, within seconds: Double,
    as type: Answer.Type = Answer.self
  ) throws(GatewayError) -> Answer {
    let deadline = MonotonicClock.now(plus: .seconds(seconds))
    let known = try token(at: endpoint, deadline)
    do {
      return try attempt(path, message, known, at: endpoint, deadline)
    } catch {
      guard error.isAboutToken, user != nil else { throw error }
    }
    forgetToken()
    return try attempt(path, message, token(at: endpoint, deadline), at: endpoint, deadline)
  }

  /// Returns the request of a ``WatchStream``.
  func request(
    _ path: String, _ message: some Encodable, at endpoint: URL, within seconds: Double
  ) throws(GatewayError) -> HTTPRequest {
    let token = try token(at: endpoint, MonotonicClock.now(plus: .seconds(seconds)))
    return try request(path, message, token, at: endpoint)
  }

  /// Discards the token, so that the next request gets a new one.
  func forgetToken() { access.withLock { $0 = .unknown } }

  private func token(at endpoint: URL, _ deadline: UInt64) throws(GatewayError) -> String? {
    guard let user else { return nil }
    switch access.withLock({ $0 }) {
    case .token(let token): return token
    case .open: return nil
    case .unknown: break
    }
    let message = AuthenticateRequest(name: user.name, password: user.password)
    do {
      let answer: AuthenticateResponse = try attempt(
        "/v3/auth/authenticate", message, nil, at: endpoint, deadline)
      access.withLock { $0 = .token(answer.token) }
      onOpen(false)
      return answer.token
    } catch {
      if error.isAboutMissingAuthentication {
        access.withLock { $0 = .open }
        onOpen(true)
        return nil
      }
      // The request that needs the token wasn't sent.
      let isRefused = error.fate == .refused
      throw GatewayError(
        isRefused ? .refused : .unsent, "no token for \(user.name): \(error)",
        status: isRefused ? 16 : error.status)
    }
  }

  private func request(
    _ path: String, _ message: some Encodable, _ token: String?, at endpoint: URL
  ) throws(GatewayError) -> HTTPRequest {
    do {
      let body = try JSONEncoder().encode(message)
      return HTTPRequest(endpoint: endpoint, path: path, token: token, body: body)
    } catch {
      throw GatewayError(.refused, "the request can't be encoded: \(error)")
    }
  }

  private func attempt<Answer: Decodable>(
    _ path: String, _ message: some Encodable, _ token: String?, at endpoint: URL,
    _ deadline: UInt64
  ) throws(GatewayError) -> Answer {
    let request = try request(path, message, token, at: endpoint)
    let now = MonotonicClock.now
    guard now < deadline else { throw GatewayError(.unsent, "the timeout expired") }
    let answer = try transport.post(request, within: Double(deadline - now) / 1e9)
    if answer.status == 200, let result = try? JSONDecoder().decode(Answer.self, from: answer.body)
    {
      return result
    }
    guard let complaint = try? JSONDecoder().decode(GatewayComplaint.self, from: answer.body) else {
      throw GatewayError(
        .open,
        "\(Self.name(endpoint)) answered with status \(answer.status), but not as etcd's gateway; "
          + "use the client URL of a member of version 3.4 or later")
    }
    throw GatewayError(complaint, httpStatus: answer.status)
  }

  /// The name of a member, without secret parts of its URL.
  static func name(_ endpoint: URL) -> String {
    let host = endpoint.host() ?? "?"
    return endpoint.port.map { "\(host):\($0)" } ?? host
  }
}
