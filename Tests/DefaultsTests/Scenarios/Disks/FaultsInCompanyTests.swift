import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Faults of each call after damage and with another process", .tags(.slow))
struct FaultsInCompanyTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  typealias Fault = ExhaustiveFaultTests.Fault

  @Test(
    "A damaged file is recovered or left unchanged, whichever call fails",
    arguments: Fault.allCases)
  func damaged(fault: Fault) throws {
    try forEveryCall(failing: fault) { number, path, comment in
      let writer = try OpenSuite(path)
      for name in ["a", "b"] {
        writer.set(1, name)
        try writer.flush(.snapshot)
      }
      writer.set(1, "c")
      writer.kill()
      try settings.overwrite("\(number)/suite.plist", with: "damaged")

      let disk = FaultyFileSystem()
      disk.fail(with: fault.code) { fault.concerns($0, from: number) }
      var expected: [String: Defaults.PropertyListValue] = ["a": 1, "b": 1, "c": 1]
      do {
        let process = try OpenSuite(path, on: disk)
        #expect(process.entries == expected, comment)
        process.set(1, "d")
        expected["d"] = 1
        #expect(process.entries == expected, comment)
        try? process.flush(.snapshot)
        disk.heal()
        try process.flush(.snapshot)
        #expect(process.entries == expected, comment)
        process.kill()
      } catch let error as Defaults.SuiteError {
        #expect([.unreadable, .unwritable].contains(error.code), "\(comment): \(error)")
      }
      let next = try OpenSuite(path)
      #expect(next.entries == expected, comment)
      next.kill()
      let names = try folder.names(in: "\(number)")
      let aside = names.filter { $0.hasPrefix("suite.plist.corrupt-") }
      #expect(
        try aside.map { try folder.text(of: "\(number)/\($0)") } == ["damaged"], comment)
      #expect(names.count == 3, "\(comment): \(names)")
      return disk.count >= number
    }
  }

  @Test(
    "Two processes end with all settings of both, whichever call of one process fails",
    arguments: Fault.allCases)
  func twoProcesses(fault: Fault) throws {
    try forEveryCall(failing: fault) { number, path, comment in
      let (one, two) = (try OpenSuite(path), try OpenSuite(path))
      let start = one.disk.count
      one.disk.fail(with: fault.code) { fault.concerns($0, from: start + number) }
      for round in 1...3 {
        let value = Defaults.PropertyListValue.integer(Int64(round))
        one.set(value, "one")
        two.set(value, "two")
        #expect(one.entries["one"] == value, comment)
        #expect(two.entries["two"] == value, comment)
        try? one.flush(round == 2 ? .snapshot : .durable)
        two.set(value, "two \(round)")
        one.set(value, "one \(round)")
      }
      let wasReached = one.disk.count - start >= number
      one.disk.heal()
      try one.flush(.snapshot)
      try two.flush(.snapshot)
      let expected: [String: Defaults.PropertyListValue] = [
        "one": 3, "two": 3, "one 1": 1, "one 2": 2, "one 3": 3, "two 1": 1, "two 2": 2, "two 3": 3,
      ]
      try one.suite.transaction { _ in }
      #expect(one.entries == expected, comment)
      #expect(two.entries == expected, comment)
      #expect(try settings.entries(of: "\(number)/suite.plist") == expected, comment)
      #expect(two.issues.count == 0, comment)
      one.kill()
      two.kill()
      return wasReached
    }
  }

  /// Runs a scenario with a suite in a new folder and a fault at its first call, its second, and so
  /// on, until it returns that it has no such call.
  private func forEveryCall(
    failing fault: Fault, _ body: (_ number: Int, _ path: String, _ comment: Comment) throws -> Bool
  ) throws {
    for number in 1..<1_000 {
      try folder.makeFolder("\(number)")
      let wasReached = try body(
        number, folder["\(number)/suite.plist"], "\(fault) at call \(number)")
      try settings.remove("\(number)")
      if !wasReached {
        #expect(number > 50)
        return
      }
    }
    Issue.record("The scenario doesn't end")
  }
}
