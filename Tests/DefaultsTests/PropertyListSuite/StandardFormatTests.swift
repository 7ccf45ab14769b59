import Defaults
import Foundation
import TestSupport
import Testing

/// In processes of their own, each with its own program's suite.
@Suite("Format of the program's file", .prompt)
struct StandardFormatTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("The program's file is XML if requested at launch, whatever its format was before")
  func xml() async throws {
    for isXML in [false, true] {
      await #expect(processExitsWith: .success) {
        [path = folder.path as String, isXML = isXML as Bool] in
        setenv("XDG_CONFIG_HOME", path, 1)
        if isXML { Defaults.PropertyListSuite.standardFormat = .xml }
        #expect(Defaults.PropertyListSuite.standardFormat == (isXML ? .xml : nil))
        let suite = Defaults.PropertyListSuite.standard
        suite.set(isXML, forKey: "isXML")
        try await suite.flush(.snapshot)
        let data = try Data(contentsOf: try #require(suite.url))
        #expect(data.starts(with: (isXML ? "<?xml" : "bplist00").utf8))
      }
    }
  }

  @Test("Setting the standard format after the suite was opened traps with a message")
  func tooLate() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      _ = Defaults.Key("volume", default: 5)
      Defaults.PropertyListSuite.standardFormat = .xml
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("was set after the suite was opened"))
  }
}
