import Defaults
import DefaultsSync
import Testing

extension SyncStateTests {
  @Test("An entry more than ten minutes in the future waits; other settings of its file apply")
  mutating func waiting() {
    a.set("theme", "dark")
    a.set("font", "serif")
    b.take(a.file)
    a.time += 11
    a.set("theme", "light")
    a.time -= 11
    a.set("font", "mono")
    let arrival = b.take(a.file)
    #expect(arrival.waiting == ["a": ["theme"]])
    #expect(b.value("theme") == "dark" && b.value("font") == "mono")
    b.time += 1
    #expect(b.take(a.file).waiting.isEmpty)
    #expect(b.value("theme") == "light" && b.state.held.isEmpty)
  }

  @Test("A device on which an entry waits doesn't remove that setting on other devices")
  mutating func partlyKnown() {
    a.set("theme", "dark")
    b.take(a.file)
    a.time += 1_000
    a.set("theme", "light")
    b.take(a.file)
    c.time += 1_000
    c.take(a.file)
    c.take(b.file)
    #expect(c.value("theme") == "light")
    b.set("theme", "blue")
    a.take(b.file)
    #expect(a.state.conflict(of: "theme").count == 2)
  }

  @Test("A setting that waited isn't listed anymore once its changes are known")
  mutating func endOfWaiting() {
    a.set("theme", "dark")
    b.take(a.file)
    b.time += 11
    b.set("theme", "light")
    a.take(b.file)
    #expect(a.state.held["theme"] != nil)
    a.set("font", "mono")
    a.time += 11
    a.take(b.file)
    a.set("font", "serif")
    #expect(a.value("theme") == "light" && a.state.held.isEmpty)
  }
}
