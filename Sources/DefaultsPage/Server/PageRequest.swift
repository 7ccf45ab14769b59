import Defaults
import Foundation

extension Defaults.SettingsPage {
  /// A request to the page, as a web server received it.
  public struct Request: Sendable {
    /// The method, in upper case.
    public var method: String
    /// The path with its query: `/settings?q=tab`.
    public var path: String
    /// The headers. Letter case is ignored in their names.
    public var headers: [String: String]
    /// The body.
    public var body: Data

    /// Creates a request.
    public init(
      method: String = "GET", path: String = "/", headers: [String: String] = [:],
      body: Data = Data()
    ) {
      self.method = method
      self.path = path
      self.headers = headers
      self.body = body
    }
  }

  /// The answer of the page.
  public struct Response: Sendable, Error {
    /// The status code.
    public var status: Int
    /// The headers, without `Content-Length`.
    public var headers: [String: String]
    /// The body. The server must leave it out of its answer to a `HEAD` request.
    public var body: Data

    init(_ status: Int, _ type: String, _ text: String) {
      self.status = status
      headers = [
        "Content-Type": type, "Cache-Control": "no-store",
        "Content-Security-Policy": PagePolicy.text + "; frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        // Without a referrer, browsers send no origin either.
        "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
      ]
      body = Data(text.utf8)
    }

    /// An answer of one sentence.
    init(_ status: Int, _ sentence: String) {
      self.init(status, "text/plain; charset=utf-8", sentence + "\n")
    }
  }
}

extension Defaults.SettingsPage.Request {
  /// The value of a header; nil if there is none, or if there are several with this name.
  func header(_ name: String) -> String? {
    let found = headers.filter { $0.key.lowercased() == name.lowercased() }
    return found.count == 1 ? found.first?.value : nil
  }

  /// The fields of the query.
  var query: [String: String] {
    get throws(Defaults.SettingsPage.Response) {
      guard let start = path.firstIndex(of: "?") else { return [:] }
      return try fields(of: path[path.index(after: start)...])
    }
  }

  /// The fields of a submitted form. Of several with one name, the last one counts.
  var fields: [String: String] {
    get throws(Defaults.SettingsPage.Response) {
      guard let text = String(validating: body, as: UTF8.self) else {
        throw .init(400, "The body isn't text.")
      }
      return try fields(of: text[...])
    }
  }

  private func fields(
    of text: Substring
  ) throws(Defaults.SettingsPage.Response) -> [String: String] {
    guard let fields = URLText.fields(of: text) else {
      throw .init(400, "A field isn't UTF-8 text in URL encoding.")
    }
    return fields
  }

  /// The token of the browser, if it has one.
  var token: String? { PageToken.find(in: header("Cookie") ?? "") }
}
