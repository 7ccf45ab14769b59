import Defaults
import Foundation
import Testing

/// In processes of their own, each with a program's suite of its own.
@Suite("The format of the program's file")
struct StandardFormatTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("It is XML if that is said at launch, whatever the file was before")
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

  @Test("Set after the suite was opened, it is a trap with a sentence")
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
