import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Size limits")
struct SizeLimitTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("A value above the size limit is rejected with a reason, and the old value stays")
  func value() throws {
    let suite = try settings.open().suite
    let key = Defaults.Key("x", default: Data([1]), suite: suite)
    suite[key] = Data([2])
    // Five bytes for tag and count, and one for the name.
    let most = Defaults.SizeLimit.value - 6
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.set(Data(count: most + 1), for: key)
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.key == "x")
    #expect(error?.reason.contains("64 MiB") == true)
    #expect(suite[key] == Data([2]))
    #expect(throws: Never.self) { try suite.check(.data(Data(count: most)), named: "x") }
  }

  @Test("A transaction that makes the suite too large is rejected and changes nothing")
  func suite() throws {
    let process = try settings.open()
    process.set(1, "x")
    let half = Defaults.PropertyListValue.data(Data(count: Defaults.SizeLimit.suite / 3))
    let error = #expect(throws: Defaults.SuiteError.self) {
      try process.suite.setEntries(["a": half, "b": half, "c": half, "d": half])
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.reason.contains("128") == true)
    #expect(process.entries == ["x": 1])
    process.suite.write { draft in
      for name in ["a", "b", "c", "d"] { draft.write(.set(half), named: name) }
    }
    #expect(process.entries == ["x": 1])
    #expect(process.issues.codes == [.unrepresentable])
    #expect(try settings.found() == ["x": 1])
  }

  @Test(
    "The size of a value is its size in the journal",
    arguments: [
      true, 1, .unsignedInteger(.max), 1.5, "text", "é\u{0}", .data(Data([1, 2, 3])),
      .date(.distantPast), [], [1, ["a"]], ["k": 1, "é": ["x": true]],
    ] as [Defaults.PropertyListValue])
  func encodedSize(value: Defaults.PropertyListValue) {
    func size(_ changes: [LogRecord.Change]) -> Int {
      LogEncoder.bytes(
        of: [LogRecord(writer: 1, version: .zero, content: .set(changes))], log: 1
      ).count
    }
    // A removal also has flags and a name.
    let removal = size([.init(name: "x", edit: .remove)])
    #expect(size([.init(name: "x", edit: .set(value))]) - removal == value.encodedSize)
  }
}
