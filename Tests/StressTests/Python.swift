import Foundation
import Harness

/// Python's `plistlib`, a reader of property lists that shares no code with this library or
/// Foundation.
struct Python {
  private let path: String

  /// nil without Python.
  init?() {
    guard let program = SearchPath.program("python3") else { return nil }
    path = program.path
    guard (try? run("print('here')", [])) == ["here"] else { return nil }
  }

  /// The files in a folder that can't be parsed.
  func unreadable(in folder: URL) throws -> [String] {
    try run(
      """
      import os, plistlib, sys
      for entry in os.scandir(sys.argv[1]):
        try:
          with open(entry.path, 'rb') as file: plistlib.load(file)
        except Exception as error: print(entry.name, type(error).__name__)
      """, [folder.path])
  }

  /// The integer entries of a file.
  func integers(in file: URL) throws -> [String: Int] {
    let lines = try run(
      """
      import plistlib, sys
      with open(sys.argv[1], 'rb') as file: entries = plistlib.load(file)
      for key, value in entries.items():
        if type(value) is int: print(key, value)
      """, [file.path])
    return lines.reduce(into: [:]) { entries, line in
      let words = line.split(separator: " ")
      if words.count == 2 { entries[String(words[0])] = Int(words[1]) }
    }
  }

  /// Whether the `jsonschema` package is installed, a validator without code of this library.
  var hasJSONSchema: Bool { (try? run("import jsonschema; print('here')", [])) == ["here"] }

  /// The indices of the lines, each a JSON document, that a schema allows.
  func allowed(by schema: URL, linesOf documents: URL) throws -> Set<Int> {
    let numbers = try run(
      """
      import json, jsonschema, sys
      with open(sys.argv[1], encoding='utf-8') as file: schema = json.load(file)
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      with open(sys.argv[2], 'rb') as file:
        for number, line in enumerate(file):
          if validator.is_valid(json.loads(line)): print(number)
      """, [schema.path, documents.path])
    return Set(numbers.compactMap { Int($0) })
  }

  /// The mistakes in edited texts of JSON with comments, in a file of lines for `jsoncJudge`.
  func mistakes(inEdits file: URL) throws -> [String] {
    try run(Self.jsoncJudge, [file.path])
  }

  private func run(_ script: String, _ arguments: [String]) throws -> [String] {
    let child = try Child(["-c", script] + arguments, executable: path)
    let lines = try child.output.rest()
    guard child.wait() == .exited(0) else { throw HarnessError("python3 failed") }
    return lines
  }
}
