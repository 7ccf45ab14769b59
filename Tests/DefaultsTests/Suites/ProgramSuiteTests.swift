import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The program's suite", .prompt)
struct ProgramSuiteTests {
  @Test("In a scope, the program's suite is the suite of the scope, with that suite's type")
  func scope() throws {
    let memory = Defaults.MemorySuite(["volume": 3])
    try Defaults.withSuite(memory) {
      #expect(Defaults.standard === memory)
      #expect("\(Defaults.standard)" == "\(memory)")
      let volume = Defaults.Key("volume", default: 5)
      try Defaults.standard.transaction { draft in draft[volume] += 1 }
      #expect(Defaults[volume] == 4)
      let inner = Defaults.MemorySuite()
      Defaults.withSuite(inner) { #expect(Defaults.standard === inner) }
      #expect(Defaults.standard === memory)
    }
    #expect(Defaults.standard !== memory)
  }

  @Test("The program's file is the program's suite even if it was first opened by its URL")
  func openedByURL() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: StoredFile().path))
      let (volume, same) = (
        Defaults.Key("volume", default: 5, suite: suite), Defaults.Key("volume", default: 5)
      )
      #expect(volume == same)
      Defaults[volume] = 3
      #expect(Defaults[same] == 3)
    }
  }

  @Test("The standard instance of a schema uses the suite of each scope in which it is used")
  func schema() {
    struct Preferences: Defaults.Schema { @Stored var volume = 5 }
    let memory = Defaults.MemorySuite()
    let other = Defaults.MemorySuite()
    Defaults.withSuite(memory) {
      let preferences = Preferences.standard
      preferences.volume = 7
      Defaults.withSuite(other) { #expect(preferences.volume == 5) }
    }
    #expect(memory.entries == ["volume": 7])
    #expect(other.entries == [:])
  }
}
