import Defaults
import Foundation

extension Defaults {
  /// A commented file of all settings with their descriptions, limits and defaults.
  ///
  /// Every setting is commented out, so an unedited file changes nothing. A user removes the
  /// comment marks of a setting to set it.
  package enum SampleFile: String, CaseIterable, Sendable {
    case jsonc, plist, dotenv

    /// Returns the text of the file. It has no value for a setting that is generated once.
    ///
    /// - Parameters:
    ///   - keys: The settings, in the order of the file.
    ///   - program: The name of the program, for the first line.
    ///   - variable: Returns the environment variable of a setting; nil if it can't have one.
    package func text(
      of keys: [AnyKey], program: String, variable: (String) -> String?
    ) -> String {
      let settings = keys.map(SettingDescription.init)
      let head = [
        "The settings of \(escapedMessage(program)).",
        "To change a setting, remove the comment marks before its line.",
      ]
      let lines =
        switch self {
        case .jsonc: Self.jsonc(settings, head)
        case .plist: Self.plist(settings, head)
        case .dotenv: Self.dotenv(settings, head, variable)
        }
      return lines.joined(separator: "\n") + "\n"
    }

    private static func jsonc(_ settings: [SettingDescription], _ head: [String]) -> [String] {
      head.map { "// \($0)" } + ["{"]
        + settings.flatMap { setting in
          let comments = [""] + setting.commentInJSON.map { "  // \($0)" }
          if setting.isGenerated { return comments }
          var writer = JSONWriter(hasLines: false)
          writer.write([setting.name: setting.sampleEntry])
          // `{"volume":5}` without its braces.
          let member = String(decoding: writer.finish().dropFirst().dropLast(), as: UTF8.self)
          return comments + ["  // \(member),"]
        } + ["}"]
    }

    private static func plist(_ settings: [SettingDescription], _ head: [String]) -> [String] {
      [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
          + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
        comment(head.joined(separator: " ")), "<plist version=\"1.0\">", "<dict>",
      ]
        + settings.flatMap { setting -> [String] in
          let comments = [""] + setting.comment.map { "  " + comment($0) }
          // A changed element would be another value.
          guard !setting.isGenerated, let element = setting.element, !element.contains(hyphens)
          else { return comments }
          return comments + ["  " + comment(element)]
        } + ["</dict>", "</plist>"]
    }

    private static func comment(_ text: String) -> String {
      "<!-- \(text.replacing(hyphens, with: "- ")) -->"
    }

    /// Two hyphens in a row, which an XML comment can't have.
    private static var hyphens: Regex<Substring> { /-(?=-)/.matchingSemantics(.unicodeScalar) }

    private static func dotenv(
      _ settings: [SettingDescription], _ head: [String], _ variable: (String) -> String?
    ) -> [String] {
      head.map { "# \($0)" }
        + settings.flatMap { setting -> [String] in
          guard let variable = variable(setting.name) else { return [] }
          let text = setting.defaultText ?? ""
          return [""] + setting.comment.map { "# \($0)" } + ["# \(variable)=\(quoted(text))"]
        }
    }

    /// A value of a dotenv file, in double quotes unless it is plain.
    private static func quoted(_ text: String) -> String {
      let plain = CharacterSet(charactersIn: "-._/:,+@%").union(.alphanumerics)
      if text.unicodeScalars.allSatisfy({ $0.isASCII && plain.contains($0) }) { return text }
      var result = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\", "$": result += "\\\(scalar)"
        case "\n": result += "\\n"
        case "\t": result += "\\t"
        case "\r": result += "\\r"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result + "\""
    }
  }
}

extension Defaults.SettingDescription {
  /// The entry in a sample: the default, or else a simple value that is allowed. A setting with
  /// other limits, such as a pattern, has a placeholder.
  fileprivate var sampleEntry: PropertyListValue {
    defaultEntry ?? simpleEntries.first(where: accepts) ?? "…"
  }

  private var simpleEntries: [PropertyListValue] {
    var entries = form.cases.prefix(1).map(\.entry)
    for case .choices(let choices) in form.limits { entries += choices.prefix(1) }
    entries.append(form.shape.sample)
    return entries + [form.range?.lowerBound, form.range?.upperBound].compactMap(\.self)
  }

  /// The key and the value as one line of an XML property list; nil if it can't hold the value.
  fileprivate var element: String? {
    guard
      let data = try? Defaults.PropertyListFormat.xml.encode([name: sampleEntry]),
      let start = data.range(of: Data("<dict>".utf8)),
      let end = data.range(of: Data("</dict>\n</plist>".utf8), options: .backwards)
    else { return nil }
    let content = String(decoding: data[start.upperBound..<end.lowerBound], as: UTF8.self)
    // White space between elements has no meaning, and a line break in a text is kept.
    let element = content.split(separator: "\n").map {
      $0.trimmingPrefix { $0 == "\t" }
    }.joined(separator: sampleEntry.hasLineBreak ? "\n" : "")
    // The joined lines may lack white space of a text.
    let file = Data("<plist><dict>\(element)</dict></plist>".utf8)
    return (try? Defaults.PropertyListFormat.xml.decode(file)) == [name: sampleEntry]
      ? element : nil
  }
}

extension PropertyListValue {
  fileprivate var hasLineBreak: Bool {
    switch self {
    case .string(let text): text.contains("\n")
    case .array(let elements): elements.contains(where: \.hasLineBreak)
    case .dictionary(let entries):
      entries.contains { $0.key.contains("\n") || $0.value.hasLineBreak }
    default: false
    }
  }
}

extension Defaults.Shape {
  /// The simplest value of the shape, for the sample of a setting without a default.
  fileprivate var sample: PropertyListValue {
    switch self {
    case .bool: false
    case .bit, .integer: 0
    case .real, .float, .duration: 0.0
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .data: .data(Data())
    case .array, .set: []
    case .dictionary: [:]
    case .any: ""
    case .string(let content): .string(content.sample)
    case .optional(let shape), .converted(let shape), .either(let shape, or: _): shape.sample
    }
  }
}

extension Defaults.Shape.Content {
  /// The simplest text with the content.
  fileprivate var sample: String {
    switch self {
    case .text, .base64: ""
    case .words(let words): words.first ?? ""
    case .wholeNumber, .decimalNumber: "0"
    case .date: "2026-11-21T13:00:00Z"
    case .url: "https://example.com/"
    case .uuid: "00000000-0000-0000-0000-000000000000"
    case .json: "{}"
    }
  }
}
