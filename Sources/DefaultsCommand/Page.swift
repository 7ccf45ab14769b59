import Defaults
import DefaultsPage
import Foundation

extension Verb {
  private static let output = Option(
    name: "--output", value: "FILE", summary: "write the page to a file instead")
  private static let host = Option(
    name: "--host", value: "NAME",
    summary: "also answer under this host name, as a CGI program of a web server")
  private static let search = Option(
    name: "--search", value: "TEXT", summary: "show only the settings that a search finds")

  static let page = Verb(
    name: "page", options: [output, host, search, .json],
    summary: "print a page of all settings in HTML; as a CGI program, answer a request"
  ) { command, invocation in
    let form = Defaults.SettingsForm(command.suite, keys: command.keys)
    let title = "Settings of \(command.name)"
    if let cgi = Defaults.CGI() {
      var hosts: Set = ["localhost", "127.0.0.1", "[::1]"]
      if let host = invocation[host] { hosts.insert(host) }
      let page = Defaults.SettingsPage(form, title: title, hosts: hosts)
      try command.answer(cgi, by: page)
      return
    }
    let query = invocation[search] ?? ""
    let text =
      invocation.has(.json)
      ? form.json(matching: query) + "\n" : form.html(title: title, matching: query)
    guard let file = invocation[output], file != "-" else { return Console.printExactly(text) }
    try command.write(Data(text.utf8), to: file)
  }
}

extension Defaults.Command {
  /// Writes a page to a file as `export` does, except that missing folders aren't created.
  fileprivate func write(_ page: Data, to file: String) throws(Defaults.CommandError) {
    do throws(Defaults.SuiteError) {
      let target = try StoredFile(url: URL(filePath: file))
      if suite.isStored(in: target) {
        throw Defaults.SuiteError(
          .unwritable, "The settings are stored in this file; choose another one", path: file)
      }
      guard FileManager.default.fileExists(atPath: target.folder) else {
        throw Defaults.SuiteError(
          .unwritable, "The folder of the file doesn't exist; create it first", path: file)
      }
      try target.replace(with: page)
    } catch {
      throw Defaults.CommandError(error.description, status: 73)
    }
  }

  fileprivate func answer(_ cgi: Defaults.CGI, by page: Defaults.SettingsPage) throws {
    let output = try Defaults.answer(cgi, by: page) { length in
      try FileHandle.standardInput.read(upToCount: length) ?? Data()
    }
    // The program ends, and the next one may be an editor of the file.
    if cgi.mayChange { try save() }
    Console.printExactly(output)
  }
}
