import Defaults
import DefaultsText
import Foundation
import FuzzInputs
import Harness

/// Edits generated files of JSON with comments, and asks a parser in Python whether only what had
/// to change has changed.
struct JSONCCampaign: Campaign {
  let name = "jsonc"
  let scratch: Scratch

  /// The number of changes of each file.
  static let changes = 20

  func run(scale: Scale, seed: UInt64) throws -> [Row] {
    guard let python = Python() else {
      return [Row(name: name, what: "not run: there is no python3", times: 0, lost: 0)]
    }
    let count = scale.tries ?? scale.count(10_000, atLeast: 200)
    let result = try Self.judge(count, seed: seed, python, in: scratch.folder)
    return [
      Row(
        name: name, what: "files, \(Self.changes) changes of each", times: count,
        lost: result.failures.count, figures: ["\(result.edits.grouped) edits"],
        failures: Array(result.failures.prefix(20)))
    ]
  }

  /// Edits `count` generated files. Returns the mistakes that the judge finds, and the number of
  /// edited texts.
  static func judge(
    _ count: Int, seed: UInt64, _ python: Python, in folder: URL
  ) throws -> (failures: [String], edits: Int) {
    let file = folder.appending(path: "edits.jsonl")
    var (failures, edits) = ([String](), 0)
    // The lines of several files at a time, to limit the size.
    for start in stride(from: 0, to: count, by: 2_000) {
      var lines: [String] = []
      for number in start..<min(count, start + 2_000) {
        do {
          lines += try self.edits(of: seed &+ UInt64(number) &* 0x9e37)
        } catch {
          failures.append("file \(number) of seed \(seed): \(error)")
        }
      }
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      edits += lines.count
      failures += try python.mistakes(inEdits: file)
    }
    return (failures, edits)
  }

  /// Makes the changes of one file, a few at a time. Returns a line of JSON for each edited text:
  /// the text before and after, and the entries that were meant.
  private static func edits(of seed: UInt64) throws -> [String] {
    var sample = JSONCSample(seed: seed)
    var text = sample.file()
    var random = SplitMix64(state: seed ^ 0xffff)
    var lines: [String] = []
    var left = changes
    while left > 0 {
      let document = try Defaults.JSONCDocument(Data(text.utf8))
      var entries = document.entries
      let some = min(left, 1 + random.below(random.oneIn(2) ? 2 : 8))
      for _ in 0..<some { JSONCChange.apply(to: &entries, &random) }
      left -= some
      let edited = String(
        decoding: try document.edited(to: entries) { "about \($0.replacing("\n", with: " "))" },
        as: UTF8.self)
      let meant = String(
        decoding: try Defaults.JSONFormat.compactJSON.encode(entries), as: UTF8.self)
      lines.append("[\(quoted(text)),\(quoted(edited)),\(meant)]")
      text = edited
    }
    return lines
  }

  private static func quoted(_ text: String) -> String {
    var writer = Defaults.JSONWriter(hasLines: false)
    writer.write(.string(text))
    return String(decoding: writer.finish(), as: UTF8.self)
  }
}
