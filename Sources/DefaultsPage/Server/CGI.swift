import Defaults
import Foundation

extension Defaults {
  /// A request and its answer in the Common Gateway Interface (RFC 3875), by which a web server
  /// starts a program for each request.
  package struct CGI: Sendable {
    private let variables: [String: String]

    /// Creates the interface from the environment; nil if no web server has started the program.
    package init?(_ variables: [String: String] = ProcessInfo.processInfo.environment) {
      guard variables["GATEWAY_INTERFACE"] != nil, variables["REQUEST_METHOD"] != nil else {
        return nil
      }
      self.variables = variables
    }

    /// Whether the arguments may be those of the request: a web server passes the words of a query
    /// without `=` to the program (section 4.4), and any site can make such a request.
    ///
    /// The words aren't compared, since a server may pass on less than the query, or with escapes.
    /// The page's own queries contain `=`.
    package func mayHaveMade(_ arguments: [String]) -> Bool {
      guard let query = variables["QUERY_STRING"], !query.isEmpty, !query.contains("=") else {
        return false
      }
      return !arguments.isEmpty && arguments != ["page"]
    }

    /// Whether the request may change settings.
    package var mayChange: Bool { variables["REQUEST_METHOD"] == "POST" }

    /// The size that the request states for its body.
    package var statedLength: Int { variables["CONTENT_LENGTH"].flatMap { Int($0) } ?? 0 }

    /// The request with its body.
    package func request(body: Data) -> SettingsPage.Request {
      var headers: [String: String] = [:]
      for (name, value) in variables where name.hasPrefix("HTTP_") {
        headers[String(name.dropFirst(5)).replacing("_", with: "-")] = value
      }
      headers["CONTENT-TYPE"] = variables["CONTENT_TYPE"]
      let path = (variables["SCRIPT_NAME"] ?? "") + (variables["PATH_INFO"] ?? "")
      let query = variables["QUERY_STRING"].map { $0.isEmpty ? "" : "?" + $0 } ?? ""
      return SettingsPage.Request(
        method: variables["REQUEST_METHOD"] ?? "", path: path + query, headers: headers, body: body)
    }

    /// An answer as the program prints it.
    package func output(of response: SettingsPage.Response) -> Data {
      var head = "Status: \(response.status) \(Self.reason(of: response.status))\r\n"
      for (name, value) in response.headers.sorted(by: { $0.key < $1.key }) {
        head += "\(name): \(value)\r\n"
      }
      let body = variables["REQUEST_METHOD"] == "HEAD" ? Data() : response.body
      return Data((head + "\r\n").utf8) + body
    }

    private static func reason(of status: Int) -> String {
      switch status {
      case 200: "OK"
      case 303: "See Other"
      case 400: "Bad Request"
      case 403: "Forbidden"
      case 405: "Method Not Allowed"
      case 413: "Content Too Large"
      case 414: "URI Too Long"
      case 415: "Unsupported Media Type"
      case 421: "Misdirected Request"
      case 422: "Unprocessable Content"
      default: "Status"
      }
    }
  }

  /// Answers a request of a web server, which has started this program for it.
  ///
  /// A request for changes waits for one up to `patience`, because a web server may collect the
  /// whole answer before it sends any of it.
  package static func answer(
    _ cgi: CGI, by page: SettingsPage, waiting patience: Duration = .seconds(20),
    body: (_ length: Int) throws -> Data
  ) throws -> Data {
    // What is too large isn't read.
    let length = min(max(0, cgi.statedLength), page.bodyLimit + 1)
    let content = length > 0 ? try body(length) : Data()
    guard content.count == length else {
      return cgi.output(of: .init(400, "The body is shorter than its stated length."))
    }
    let request = cgi.request(body: content)
    return cgi.output(of: page.response(to: request, waiting: patience))
  }
}
