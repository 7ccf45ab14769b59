import Foundation
import Testing

@testable import Defaults

@Suite("Entries that only the journal has")
struct JournaledValuesTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  private static let values: [Defaults.PropertyListValue] = [
    true, false, 0, 1, -1, .integer(.min), .integer(.max), .unsignedInteger(.max),
    .unsignedInteger(5), [.unsignedInteger(0)], 0.0, -0.0, 1.0, .real(.pi), .real(.infinity),
    .real(.leastNonzeroMagnitude), "", "text", "e\u{301}\0😀",
    .data(Data()), .data(Data([0, 255, 1])), .data(Data(repeating: 7, count: 10_000)),
    .date(Date(timeIntervalSinceReferenceDate: 0.1)), .date(.distantPast), [], [1, [true, "x"]],
    [:], ["a": [:], "b": ["c": 1.5, "": false]],
  ]

  @Test("Every kind of value is read back from the journal, also after changes and removals")
  func values() throws {
    let entries = Dictionary(
      uniqueKeysWithValues: Self.values.enumerated().map { ("\($0.offset)", $0.element) })
    try settings.run { process in
      for (name, value) in entries { process.set(value, name) }
    }
    #expect(try settings.found() == entries)
    // The file now has the old values, and the journal the new ones and the bases.
    var changed = entries
    try settings.run { process in
      try process.flush(.snapshot)
      for (index, value) in Self.values.enumerated() {
        let name = "\((index + 1) % Self.values.count)"
        changed[name] = index.isMultiple(of: 3) ? nil : value
        process.suite.write(Defaults.Edit(entry: changed[name]), named: name)
      }
    }
    #expect(try settings.entries() == entries)
    #expect(try settings.found() == changed)
  }

  @Test("An entry without a name in the property list is kept, and damages no journal")
  func emptyName() throws {
    try Defaults.PropertyListFormat.xml.encode(["": "x", "a": 1]).write(
      to: settings.folder.url(SettingsFolder.file))
    for number in 1...2 as ClosedRange<Int64> {
      try settings.run { process in
        process.set(.integer(number), "b")
        try process.flush(.snapshot)
        let edited = process.entries.merging(["": .integer(number)]) { $1 }
        try Defaults.PropertyListFormat.xml.encode(edited).write(
          to: settings.folder.url(SettingsFolder.file))
        process.set(.integer(number), "c")
        #expect(process.issues.codes == [])
      }
      let (found, number) = (try settings.found(), Defaults.PropertyListValue.integer(number))
      #expect(found == ["": number, "a": 1, "b": number, "c": number])
    }
    let names = try settings.folder.names()
    #expect(names.sorted() == [SettingsFolder.file, SettingsFolder.journal])
  }
}
