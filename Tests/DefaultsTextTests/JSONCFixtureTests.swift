import Defaults
import DefaultsText
import Foundation
import Testing

/// Files in the style of other programs, written for these tests.
@Suite("Commented JSON files of other programs")
struct JSONCFixtureTests {
  struct Fixture: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    /// The number of entries.
    let count: Int
    /// A change, and the differing parts of the text before and after it.
    let change: @Sendable (inout [String: Defaults.PropertyListValue]) -> Void
    let parts: [(before: String, after: String)]
  }

  @Test("If only the composition of a name inside of a value changes, the comments stay")
  func otherComposition() throws {
    let text = "{\n  // Seen.\n  \"seen\": {\"\u{e9}\": 1}, // here\n  \"b\": 2\n}\n"
    let document = try Defaults.JSONCDocument(Data(text.utf8))
    var entries = document.entries
    entries["seen"] = ["e\u{301}": 1]
    let edited = String(decoding: try document.edited(to: entries), as: UTF8.self)
    #expect(edited == text.replacing("\u{e9}", with: "e\u{301}"))
    #expect(edited.utf8.elementsEqual(text.replacing("\u{e9}", with: "e\u{301}").utf8))
  }

  /// Dotted names, values for each language, and comments that switch settings off.
  static let codeEditor = Fixture(
    testDescription: "the settings of a code editor",
    text: """
      {
          // Look
          "workbench.colorTheme": "Evening",
          "workbench.iconTheme": null_icons,

          // Text
          "editor.fontFamily": "'Mono One', monospace",
          "editor.fontSize": 13,
          // "editor.fontLigatures": true,
          "editor.rulers": [80, 100],
          "editor.tokenColors": {
              "comments": "#7a7a7a", // readable on both backgrounds
              "rules": [
                  {
                      "scope": "keyword.control",
                      "settings": {"fontStyle": "bold"}
                  }
              ]
          },

          /* Files
             that the search leaves out */
          "files.exclude": {
              "**/.cache": true,
              "**/out": true,
          },
          "[markdown]": {
              "editor.wordWrap": "on",
              "editor.fontSize": 15
          },
          "terminal.integrated.env.linux": {"LANG": "C.UTF-8"}, // for all shells
      }

      """.replacing("null_icons", with: "\"none\""),
    count: 9,
    change: {
      $0["editor.fontSize"] = 14
      $0["editor.fontLigatures"] = true
      $0["files.exclude"] = ["**/.cache": true]
      $0["[markdown]"] = nil
    },
    parts: [
      ("\"editor.fontSize\": 13", "\"editor.fontSize\": 14"),
      (
        "        ]\n    },\n\n    /* Files",
        "        ]\n    },\n    // Fresh\n    \"editor.fontLigatures\": true,\n\n    /* Files"
      ),
      ("        \"**/out\": true,\n", ""),
      (
        "    \"[markdown]\": {\n        \"editor.wordWrap\": \"on\",\n"
          + "        \"editor.fontSize\": 15\n    },\n", ""
      ),
    ])

  /// Options, most of them in comments, with tabs and line breaks of Windows.
  static let compiler = Fixture(
    testDescription: "the options of a compiler",
    text: """
      {
      \t"extends": "../base.json",
      \t"compilerOptions": {
      \t\t/* Output */
      \t\t"target": "es2022",          /* the oldest engine that we support */
      \t\t"module": "node16",          // same as in the base
      \t\t// "declaration": true,      /* for libraries */
      \t\t"outDir": "./build",

      \t\t/* Strictness */
      \t\t"strict": true,              // all checks
      \t\t// "noUnusedLocals": true,
      \t\t"paths": { "app/*": ["./source/*"] }
      \t},
      \t"include": ["source", "tests"],
      \t"exclude": [
      \t\t"build",    // made from the others
      \t\t"**/*.gen.ts"
      \t]
      }

      """.replacing("\n", with: "\r\n"),
    count: 4,
    change: {
      $0["include"] = ["source"]
      $0["exclude"] = ["build", "**/*.gen.ts", "fixtures"]
      if case .dictionary(var options)? = $0["compilerOptions"] {
        options["module"] = nil
        options["paths"] = ["app/*": ["./source/*", "./generated/*"]]
        $0["compilerOptions"] = .dictionary(options)
      }
    },
    parts: [
      ("\t\t\"module\": \"node16\",          // same as in the base\r\n", ""),
      ("[\"./source/*\"]", "[\"./source/*\", \"./generated/*\"]"),
      ("[\"source\", \"tests\"]", "[\"source\"]"),
      ("\"**/*.gen.ts\"\r\n", "\"**/*.gen.ts\",\r\n\t\t\"fixtures\"\r\n"),
    ])

  /// Tasks and imports, with a comment at the top and none of the usual commas at the end.
  static let runtime = Fixture(
    testDescription: "the project of a script runtime",
    text: """
      // Tasks: run one with its name.
      {
        "tasks": {
          // Needs the network once.
          "start": "run --allow-net main.ts",
          "check": "lint && test" // in CI, too
        },
        "imports": {
          "@std/path": "registry:@std/path@^1", "@std/http": "registry:@std/http@^1"
        },
        "fmt": { "lineWidth": 100, "singleQuote": false },
        "lock": false
      }
      """,
    count: 4,
    change: {
      $0["tasks"] = ["start": "run --allow-net main.ts", "check": "lint", "bench": "bench"]
      $0["imports"] = ["@std/http": "registry:@std/http@^2"]
      $0["lock"] = nil
    },
    parts: [
      (
        "\"lint && test\" // in CI, too\n",
        "\"lint\", // in CI, too\n    \"bench\": \"bench\"\n"
      ),
      (
        "\"@std/path\": \"registry:@std/path@^1\", \"@std/http\": \"registry:@std/http@^1\"",
        "\"@std/http\": \"registry:@std/http@^2\""
      ),
      ("false },\n  \"lock\": false\n", "false }\n"),
    ])

  /// Profiles in nested lists, with a schema and a byte order mark.
  static let terminal = Fixture(
    testDescription: "the settings of a terminal",
    text: "\u{feff}"
      + """
      // The defaults are in another file. This one only has changes.
      {
          "$schema": "https://example.com/terminal/schema",
          "defaultProfile": "{11111111-aaaa-bbbb-cccc-000000000001}",
          "copyOnSelect": false,
          "profiles":
          {
              "defaults":
              {
                  // Applies to each profile.
                  "font": { "face": "Mono One", "size": 11 }
              },
              "list":
              [
                  {
                      // Not shown in the menu.
                      "guid": "{11111111-aaaa-bbbb-cccc-000000000001}",
                      "hidden": true,
                      "name": "Shell"
                  },
                  {
                      "guid": "{11111111-aaaa-bbbb-cccc-000000000002}",
                      "hidden": false,
                      "name": "Remote"
                  }
              ]
          },
          "schemes": [],
          "actions":
          [
              // Keys
              { "command": "copy", "keys": "ctrl+c" },
              { "command": "paste", "keys": "ctrl+v" }
          ]
      }

      """,
    count: 5,
    change: {
      if case .dictionary(var profiles)? = $0["profiles"],
        case .array(var list)? = profiles["list"],
        case .dictionary(var first) = list[0]
      {
        first["hidden"] = false
        list[0] = .dictionary(first)
        profiles["list"] = .array(list)
        $0["profiles"] = .dictionary(profiles)
      }
      $0["schemes"] = [["name": "Dusk"]]
      $0["actions"] = [["command": "paste", "keys": "ctrl+v"]]
    },
    parts: [
      ("\"hidden\": true", "\"hidden\": false"),
      (
        "\"schemes\": []",
        "\"schemes\": [\n        {\n            \"name\": \"Dusk\"\n        }\n    ]"
      ),
      (
        "// Keys\n        { \"command\": \"copy\", \"keys\": \"ctrl+c\" },\n"
          + "        { \"command\": \"paste\", \"keys\": \"ctrl+v\" }",
        "{ \"command\": \"paste\", \"keys\": \"ctrl+v\" }"
      ),
    ])

  /// Nested settings of languages and servers, with a comma after each last element.
  static let fastEditor = Fixture(
    testDescription: "the settings of a fast editor",
    text: """
      // Documentation: see the help menu.
      //
      // Everything here overrides the defaults.
      {
        "theme": { "mode": "system", "light": "Day", "dark": "Night" },
        "ui_font_size": 16.0,
        "buffer_font_size": 14.5, // half sizes work
        "languages": {
          "Swift": { "tab_size": 2, "formatter": "language_server", },
          "Make": {
            "hard_tabs": true,
          },
        },
        /* Servers */
        "lsp": {
          "sourcekit": {
            "binary": { "path": "/usr/bin/sourcekit-lsp", "arguments": [], },
          },
        },
      }

      """,
    count: 5,
    change: {
      $0["ui_font_size"] = 17.0
      $0["buffer_font_size"] = nil
      $0["languages"] = [
        "Swift": ["tab_size": 2, "formatter": "language_server", "format_on_save": true],
        "Make": ["hard_tabs": true],
      ]
      $0["vim_mode"] = true
    },
    parts: [
      ("16.0", "17.0"), ("  \"buffer_font_size\": 14.5, // half sizes work\n", ""),
      ("\"language_server\", }", "\"language_server\", \"format_on_save\": true, }"),
      ("    },\n  },\n}", "    },\n  },\n  // Fresh\n  \"vim_mode\": true,\n}"),
    ])

  @Test(
    "A commented JSON file of another program is read, and edited as a person would edit it",
    arguments: [codeEditor, compiler, runtime, terminal, fastEditor])
  func edit(fixture: Fixture) throws {
    let document = try Defaults.JSONCDocument(Data(fixture.text.utf8))
    #expect(document.entries.count == fixture.count)
    #expect(try document.edited(to: document.entries) == Data(fixture.text.utf8))
    var entries = document.entries
    fixture.change(&entries)
    var meant = fixture.text
    for (before, after) in fixture.parts {
      #expect(meant.components(separatedBy: before).count == 2, "\(before)")
      meant = meant.replacingOccurrences(of: before, with: after)
    }
    let edited = try document.edited(to: entries) { _ in "Fresh" }
    #expect(String(decoding: edited, as: UTF8.self) == meant)
  }
}
