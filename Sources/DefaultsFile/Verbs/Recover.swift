import Defaults
import DefaultsCommand
import DefaultsText
import Foundation

extension Verb {
  private static let output = Option(
    name: "--output", value: "FILE", summary: "write to a new file: JSON or a property list")
  private static let force = Option(name: "--force", summary: "replace an existing file")

  static let recover = Verb(
    name: "recover", operands: "DAMAGED-FILE", options: [output, force],
    summary: "print the readable entries of a damaged property list or journal as JSON",
    details: [
      "Damage is reported on standard error, and the status is then 1. The damaged file is left",
      "unchanged. A journal contains all entries.",
    ]
  ) { place, invocation in
    let path = place.path
    let raw = RawFile(path, limit: RawFile.limitOfDamaged)
    guard let bytes = raw.bytes else {
      throw Defaults.CommandError(
        "\(path): it can't be read: \(raw.problem ?? "there is no such file")", status: 66)
    }
    let target = invocation[output].flatMap { $0 == "-" ? nil : $0 }
    if let target { try place.requireFree(target, replacing: invocation.has(force)) }
    try requireNoMistake(in: Data(bytes), of: place)
    guard let found = Salvage.read(bytes), !(found.entries.isEmpty && !found.isSound) else {
      throw Defaults.CommandError("\(path): no entries can be read", status: 65)
    }
    var entries = found.entries
    // With the mark of the suite, a sync would remove the lost settings on all devices.
    if !found.isSound { entries[Defaults.syncName] = nil }
    if let target {
      let format: FileFormat = Place.isJSON(target) ? .json : .binary
      // Not an export, which leaves out entries of the library.
      try StoredFile(path: target).replace(with: format.encode(entries))
    } else {
      let data = try Defaults.JSONFormat().encode(entries)
      Console.printExactly(String(decoding: data, as: UTF8.self))
    }
    guard !found.isSound else { return }
    for loss in found.losses { Console.printError("\(path): \(loss)") }
    if found.lossCount > found.losses.count {
      Console.printError("\(path): and \(found.lossCount - found.losses.count) more problems")
    }
    throw Defaults.CommandError(
      "\(path): it is \(found.form.rawValue); \(Report.count(entries.count, "entry")) "
        + "could be read", status: 1)
  }
}

/// Throws the place of the mistake in JSON, which a text editor shows better than this tool.
private func requireNoMistake(in data: Data, of place: Place) throws(Defaults.CommandError) {
  guard data.looksLikeJSON else { return }
  do {
    _ = try Defaults.JSONCDocument.entries(in: data)
  } catch {
    throw Defaults.CommandError(
      "\(place.path): it is JSON with a mistake in \(error.description(in: data)). Correct the "
        + "file in a text editor, or use `recover` with its journal, which has all settings that a "
        + "program has read",
      status: 65)
  }
}

extension Place {
  /// Throws if the output can't be written to a path.
  fileprivate func requireFree(_ target: String, replacing: Bool) throws {
    guard let there = try? StoredFile(path: target) else { return }
    if there.path == path {
      throw UsageError("the output can't be the damaged file itself; choose another name")
    }
    if there.path == journal {
      throw UsageError(
        "\(target): this is the journal of the damaged file; choose another name")
    }
    // A dangling link also counts as existing, since its destination may be anywhere.
    if !replacing, RawFile.isThere(target, followingLinks: false) {
      throw Defaults.CommandError(
        "\(target): the file already exists; use --force to replace it", status: 73)
    }
  }
}
