import Defaults
import Foundation

/// The requirements that a request meets before the page looks at its content.
struct RequestCheck: Sendable {
  let hosts: Set<String>
  let bodyLimit: Int
  /// The maximum length of a path with its query: any site can make a browser request one.
  private static let pathLimit = 8_192

  typealias Response = Defaults.SettingsPage.Response

  /// Throws the answer to a request that isn't allowed.
  func check(_ request: Defaults.SettingsPage.Request) throws(Response) {
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      var response = Response(405, "The page takes GET, HEAD and POST.")
      response.headers["Allow"] = "GET, HEAD, POST"
      throw response
    }
    guard request.path.utf8.count <= Self.pathLimit else {
      throw Response(414, "The path is longer than \(Self.pathLimit) bytes.")
    }
    guard request.body.count <= bodyLimit else {
      throw Response(413, "The submission is larger than \(bodyLimit) bytes.")
    }
    // A site whose name leads to this machine reaches the page, but under the name of that site.
    guard let host = request.header("Host")?.lowercased(), hosts.contains(Self.name(ofHost: host))
    else {
      throw Response(
        421, "The page doesn't answer under this host name. Add it to the page's hosts.")
    }
    guard request.method == "POST" else { return }
    guard let origin = request.header("Origin")?.lowercased(),
      ["http://" + host, "https://" + host].contains(origin)
    else {
      throw Response(403, "The submission comes from another site.")
    }
    if let site = request.header("Sec-Fetch-Site"), site != "same-origin" {
      throw Response(403, "The submission comes from another site.")
    }
    let type = request.header("Content-Type")?.split(separator: ";").first ?? ""
    guard
      type.trimmingCharacters(in: .whitespaces).lowercased()
        == "application/x-www-form-urlencoded"
    else {
      throw Response(415, "The page takes application/x-www-form-urlencoded.")
    }
  }

  /// The name in a host header, without its port.
  private static func name(ofHost host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      return isPort(host[host.index(after: end)...]) ? String(host[...end]) : ""
    }
    guard let colon = host.firstIndex(of: ":") else { return host }
    return isPort(host[colon...]) ? String(host[..<colon]) : ""
  }

  /// Whether a text is empty, or a colon and digits.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty
      || text.first == ":" && text.count < 7
        && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
  }
}

/// The token that a browser gets in a cookie and in the page, and that another site can't know.
enum PageToken {
  private static let name = "DefaultsPage"

  /// Creates a token of 128 random bits.
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The cookie: for the path of the page, until the browser is closed. Other sites' submissions
  /// don't send it, but their links do: otherwise a link would set a new token, and pages that are
  /// open would have the previous one.
  static func cookie(_ token: String) -> String { "\(name)=\(token); HttpOnly; SameSite=Lax" }

  /// The token in the header of cookies.
  static func find(in cookies: String) -> String? {
    for cookie in cookies.split(separator: ";") {
      let parts = cookie.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == name, parts[1].utf8.count == 32,
        parts[1].allSatisfy(\.isHexDigit)
      else { continue }
      return String(parts[1])
    }
    return nil
  }
}
