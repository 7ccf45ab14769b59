import Defaults
import DefaultsText
import Foundation
import Harness
import FuzzInputs

/// Compares the library's and Python's `jsonschema` verdicts about the same entries.
struct SchemaCampaign: Campaign {
  let name = "schemas"
  let scratch: Scratch

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    guard let python = Python(), python.hasJSONSchema else {
      return [
        Row(
          name: name, what: "not run: there is no python3 with jsonschema", times: 0, lost: 0)
      ]
    }
    let count = scale.count(1_000_000, atLeast: 1_000)
    let result = try Self.compare(count, seed: seed, python, in: scratch.folder)
    let forms = try Self.refusedForms(python, in: scratch.folder)
    return [
      Row(
        name: "\(name), forms", what: "entries that are read, but a validator rejects",
        times: forms.count,
        lost: forms.refused.count, figures: ["\(SchemaForm.all.count) keys"],
        failures: Array(forms.refused.prefix(20))),
      Row(
        name: name, what: "entries with a different verdict of a validator", times: count,
        lost: result.differences.count,
        figures: ["\(SchemaSample.all.count) rules", "\(result.allowed.grouped) allowed"],
        failures: Array(result.differences.prefix(20))),
    ]
  }

  /// Exports every entry of every form that a key of any coding reads, or of every `stride`-th key.
  /// Returns those that the schema doesn't allow, and the number of all.
  static func refusedForms(
    _ python: Python, in folder: URL, stride: Int = 1
  ) throws -> (refused: [String], count: Int) {
    let schema = folder.appending(path: "forms-schema.json")
    let documents = folder.appending(path: "forms.json")
    try Defaults.jsonSchema(of: SchemaForm.all.map(\.key))
      .write(to: schema, atomically: false, encoding: .utf8)
    let forms = SchemaForm.all.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
    let lines = try forms.flatMap { try $0.documents() }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: documents)
    let valid = try python.allowed(by: schema, linesOf: documents)
    return (lines.indices.filter { !valid.contains($0) }.map { lines[$0] }, lines.count)
  }

  /// Generates entries. Returns those with different verdicts, and the number that the library
  /// allows.
  static func compare(
    _ count: Int, seed: UInt64, _ python: Python, in folder: URL
  ) throws -> (differences: [String], allowed: Int) {
    let schema = folder.appending(path: "schema.json")
    let documents = folder.appending(path: "documents.json")
    try Defaults.jsonSchema(of: SchemaSample.all.map(\.key))
      .write(to: schema, atomically: false, encoding: .utf8)
    var generator = SplitMix64(state: seed)
    var lines: [String] = []
    var allowed: Set<Int> = []
    for number in 0..<count {
      let sample = SchemaSample.all[number % SchemaSample.all.count]
      let (json, isAllowed) = try sample.tryOne(&generator)
      lines.append(json)
      if isAllowed { allowed.insert(number) }
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: documents)
    let valid = try python.allowed(by: schema, linesOf: documents)
    let differences = valid.symmetricDifference(allowed).sorted().map {
      "\(lines[$0]): the library \(allowed.contains($0) ? "allows" : "rejects") it"
    }
    return (differences, allowed.count)
  }
}
