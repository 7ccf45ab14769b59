import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("A layered suite as the program's suite", .prompt)
struct StandardSuiteTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A layered suite that is set as the program's suite at launch is used everywhere")
  func launch() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let site = Manual(["volume": 8])
      Defaults.standard = try Defaults.LayeredSuite(
        .arguments(["--theme=dark"]), .writable(.standard), Defaults.Layer("site", site))
      let volume = Defaults.Key<Int>("volume", default: 3)
      let theme = Defaults.Key<String>("theme", default: "light")
      #expect(Defaults[volume] == 8 && Defaults[theme] == "dark")
      #expect(theme.isShadowed)
      // Although nothing else keeps the suite.
      site.set(["volume": 9])
      #expect(Defaults[volume] == 9)
      Defaults[volume] = 5
      #expect(Defaults[volume] == 5)
      // Not in the expectation: in a macro inside another macro's closure, Swift 6.3 gives
      // autoclosures colliding names, so a key would have another key's default.
      let same = Defaults.Key<Int>("volume", default: 0, suite: .standard)
      #expect(same == volume)
      #expect(Defaults.PropertyListSuite.standard.inspect(volume)[1].entry == 5)
      let file = try #require(Defaults.PropertyListSuite.standard.url)
      try Defaults.PropertyListSuite.standard.flush(.snapshot)
      let entries = try Defaults.PropertyListSuite(url: file)
      #expect(entries.entries == ["volume": 5])
      // The file itself is an ordinary suite now.
      let own = Defaults.Key<Int>("volume", default: 3, suite: entries)
      #expect(own != volume)
      entries.removeEntry(named: "volume")
      #expect(Defaults[volume] == 9 && entries[own] == 3 && entries[volume] == 3)
      Defaults.withSuite(Defaults.MemorySuite()) {
        #expect(Defaults[volume] == 3)
      }
    }
  }

  @Test(
    "The program's suite can't be set twice or after one of its keys was declared",
    arguments: [true, false])
  func tooLate(isTwice: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [path = folder.path as String, isTwice] in
      setenv("XDG_CONFIG_HOME", path, 1)
      if isTwice {
        Defaults.standard = Defaults.MemorySuite()
      } else {
        _ = Defaults.Key<Int>("volume", default: 3)
      }
      Defaults.standard = Defaults.MemorySuite()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(isTwice ? "was set twice" : "\"volume\" was declared"))
  }

  @Test("The trap for a suite of layers that declares keys of .standard names `declaring:`")
  func declaringTooEarly() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      Defaults.standard = try Defaults.LayeredSuite(
        .writable(.standard), declaring: [Defaults.Key("volume", default: 3)])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("\"volume\" was declared") && text.contains("omit `declaring:`"))
  }
}
