import Defaults
import DefaultsPage
import Foundation
import Testing

/// A browser without scripts: it loads the page, keeps its cookie, and submits all its fields.
struct PageVisitor {
  typealias Request = Defaults.SettingsPage.Request
  typealias Response = Defaults.SettingsPage.Response

  let page: Defaults.SettingsPage
  private(set) var html = ""
  /// The elements of the loaded page.
  private(set) var elements: [PageElement] = []
  private var cookie: String?
  /// The fields of the loaded page, as the user has changed them.
  var fields: [String: String] = [:]

  init(_ page: Defaults.SettingsPage) throws {
    self.page = page
    try load()
  }

  /// Loads the page, with the cookie of an earlier visit.
  mutating func load(_ query: String = "") throws {
    let response = page.respond(
      to: Request(path: "/settings\(query)", headers: headers(origin: nil)))
    #expect(response.status == 200)
    if let set = response.headers["Set-Cookie"] {
      cookie = String(set.prefix { $0 != ";" })
    }
    show(response.text)
    fields = Self.fields(of: elements)
  }

  /// Submits the fields, and follows the answer's redirection.
  mutating func submit(
    origin: String? = "http://localhost:8080", changing headers: [String: String?] = [:]
  ) throws -> Response {
    var request = Request(
      method: "POST", path: "/settings", headers: self.headers(origin: origin),
      body: Self.body(fields))
    for (name, value) in headers { request.headers[name] = value }
    let response = page.respond(to: request)
    if let location = response.headers["Location"] {
      #expect(response.status == 303)
      try load(location)
    } else if response.status == 422 {
      show(response.text)
    }
    return response
  }

  private mutating func show(_ html: String) {
    self.html = html
    elements = PageElement.all(in: html)
  }

  private func headers(origin: String?) -> [String: String] {
    var headers = ["Host": "localhost:8080", "Content-Type": "application/x-www-form-urlencoded"]
    headers["Origin"] = origin
    headers["Cookie"] = cookie
    return headers
  }

  static func body(_ fields: [String: String]) -> Data {
    let allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."~"))
    func encoded(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
    return Data(
      fields.map { "\(encoded($0))=\(encoded($1.replacing("\n", with: "\r\n")))" }
        .joined(separator: "&").utf8)
  }

  // MARK: - The fields of a page

  static func fields(of elements: [PageElement]) -> [String: String] {
    var fields: [String: String] = [:]
    var selection: String?
    for element in elements {
      if element.name == "option", let selection, element["selected"] != nil {
        fields[selection] = element["value"]
      }
      guard let name = element["name"], name != "q" else { continue }
      switch element.name {
      case "input" where element["type"] == "checkbox":
        if element["checked"] != nil { fields[name] = element["value"] }
      case "input": fields[name] = element["value"] ?? ""
      case "select":
        fields[name] = ""
        selection = name
      // A browser drops the first line break.
      case "textarea": fields[name] = PageElement.text(String(element.text.dropFirst()))
      default: break
      }
    }
    return fields
  }
}

extension Defaults.SettingsPage.Response {
  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
}
