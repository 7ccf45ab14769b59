import Defaults
import DefaultsText

/// The page of all settings as HTML.
struct PageMarkup {
  /// The outcome of a submission.
  struct Outcome {
    /// The number of stored changes.
    var saved = 0
    /// The problems by name.
    var problems: [String: Defaults.SuiteError] = [:]
    /// The submitted texts by name.
    var texts: [String: String] = [:]

    /// The text that the control of a row shows again, because it wasn't stored.
    func rejectedText(of row: Defaults.SettingsForm.Row) -> String? {
      row.isSecret || problems[row.name] == nil ? nil : texts[row.name]
    }
  }

  let form: Defaults.SettingsForm
  let title: String
  var query = ""
  /// The token of the form that changes settings; nil for a page that can't.
  var token: String?
  var outcome: Outcome?

  /// The rows of all settings in order, with those that a search hides.
  private let rows: [Defaults.SettingsForm.Row]
  /// The rows that a page shows without a search and a submission; empty if it can't change
  /// settings.
  private let plain: [HTMLText]

  init(
    _ form: Defaults.SettingsForm, title: String, query: String = "", token: String? = nil,
    outcome: Outcome? = nil
  ) {
    self.form = form
    self.title = title
    self.query = query
    self.token = token
    self.outcome = outcome
    rows = form.settings.map(form.row(of:))
    plain = token == nil ? [] : rows.html
  }

  private func addRow(_ index: Int, isHidden: Bool, to page: inout HTMLText) {
    let row = rows[index]
    let problem = outcome?.problems[row.name]
    if token != nil, !isHidden, problem == nil { return page.add(html: plain[index]) }
    RowMarkup(
      row: row, index: index, isEditable: token != nil, isHidden: isHidden,
      submitted: outcome?.rejectedText(of: row),
      rejection: problem?.reason
    ).add(to: &page)
  }

  var html: String {
    var page = HTMLText()
    addHead(to: &page)
    page.add("<body><a class=\"k\" href=\"#m\">Skip to the settings</a>\n<header><h1>")
    page.add(message: title)
    page.add("</h1>\n")
    addSearch(to: &page)
    page.add("</header>\n<main id=\"m\">\n")
    let parsed = FormQuery(query)
    let isFound = rows.indices.map { parsed.matches(rows[$0], form.settings[$0]) }
    addForm(to: &page, isFound)
    page.add("</main>\n<script>")
    page.add(html: PageScript.text)
    page.add("</script></body></html>\n")
    return page.text
  }

  private func addHead(to page: inout HTMLText) {
    page.add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
    page.add("<meta http-equiv=\"Content-Security-Policy\" content=\"")
    page.add(text: PagePolicy.text)
    page.add(
      "\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>")
    page.add(message: title)
    page.add("</title>\n<style>")
    page.add(html: PageStyle.text)
    page.add("</style></head>\n")
  }

  private func addSearch(to page: inout HTMLText) {
    page.add(
      "<form role=\"search\"><label for=\"q\">Search</label> <input type=\"search\" id=\"q\"")
    page.add(" name=\"q\" aria-describedby=\"h\" value=\"")
    page.add(text: ControlText.text(of: query.replacing("\n", with: " ")))
    page.add("\"> <button>Search</button>\n<small id=\"h\">Names, descriptions and values; ")
    page.add("@changed @managed @invalid @layer:NAME</small></form>\n")
    addSections(to: &page)
  }

  /// Links to the sections.
  private func addSections(to page: inout HTMLText) {
    let names = form.settings.map(\.group)
    guard names.first != names.last else { return }
    page.add("<nav aria-label=\"Sections\"><details><summary>Sections</summary>\n")
    var last: String?
    for (index, name) in names.enumerated() where name != last {
      last = name
      page.add("<a href=\"#g")
      page.add(index)
      page.add("\">")
      page.add(message: Defaults.SettingsForm.title(ofGroup: name))
      page.add("</a> \n")
    }
    page.add("</details></nav>\n")
  }

  private func addForm(to page: inout HTMLText, _ isFound: [Bool]) {
    if let token {
      page.add("<form method=\"post\" id=\"f\" autocomplete=\"off\" data-state=\"")
      page.add(text: PageState(plain).digest)
      page.add("\"><input type=\"hidden\" name=\"token\" value=\"")
      page.add(text: token)
      page.add("\"><input type=\"hidden\" name=\"seen\" value=\"")
      for row in rows { page.add(text: ControlText.seen(row)) }
      page.add("\">\n")
    }
    page.add("<div id=\"n\">")
    if token != nil { page.add("<button>Save</button>") }
    page.add("<p role=\"status\" id=\"t\">")
    page.add(message: status(found: isFound.count { $0 }))
    page.add("</p></div>\n")
    addProblems(to: &page)
    addRows(to: &page, isFound)
    page.add(token == nil ? "" : "</form>")
  }

  private func status(found: Int) -> String {
    guard let outcome, outcome.saved > 0 || !outcome.problems.isEmpty else {
      return "\(found) of \(rows.count) settings"
    }
    return Self.message(saved: outcome.saved, rejected: outcome.problems.count)
  }

  /// The result of a submission in words.
  static func message(saved: Int, rejected: Int) -> String {
    func settings(_ count: Int) -> String { count == 1 ? "1 setting" : "\(count) settings" }
    let rejection = "\(settings(rejected)) not saved"
    if rejected == 0 { return saved == 0 ? "Nothing was changed" : "Saved \(settings(saved))" }
    return saved == 0 ? rejection : "Saved \(settings(saved)), \(rejection)"
  }

  /// A list of the problems with links to their rows.
  private func addProblems(to page: inout HTMLText) {
    guard let problems = outcome?.problems, !problems.isEmpty else { return }
    page.add("<div id=\"e\" role=\"alert\"><h2>Not saved</h2><ul>\n")
    for (name, problem) in problems.sorted(by: { $0.key < $1.key }) {
      page.add("<li>")
      if let index = form.index(ofName: name) {
        page.add("<a href=\"#r")
        page.add(index)
        page.add("\">")
        page.add(message: rows[index].title)
        page.add("</a>: ")
      } else {
        page.add(message: name)
        page.add(": ")
      }
      page.add(message: problem.reason)
      page.add("</li>\n")
    }
    page.add("</ul></div>\n")
  }

  private func addRows(to page: inout HTMLText, _ isFound: [Bool]) {
    var start = 0
    while start < rows.count {
      let group = form.settings[start].group
      let end = form.settings[start...].firstIndex { $0.group != group } ?? rows.count
      page.add("<section aria-labelledby=\"g")
      page.add(start)
      page.add(isFound[start..<end].contains(true) ? "\">" : "\" hidden>")
      page.add("<h2 id=\"g")
      page.add(start)
      page.add("\">")
      page.add(message: Defaults.SettingsForm.title(ofGroup: group))
      page.add("</h2>\n")
      for index in start..<end {
        addRow(index, isHidden: !isFound[index], to: &page)
      }
      page.add("</section>\n")
      start = end
    }
  }
}
