import Defaults
import DefaultsLayers
import Testing

@Suite("Names of profiles")
struct ProfileNameTests {
  @Test("A profile is found by a canonically equivalent name")
  func equivalentName() throws {
    let base = Defaults.MemorySuite()
    let suite = try Defaults.LayeredSuite(.profile(), .writable(base))
    let profiles = Defaults.Profiles(of: suite)
    let volume = Defaults.Key("volume", default: 5, suite: suite)
    try profiles.create("\u{E9}")
    try profiles.choose("\u{E9}")
    suite[volume] = 7
    try profiles.choose("e\u{301}")
    #expect(Array(profiles.current?.utf8 ?? "".utf8) == Array("\u{E9}".utf8))
    try profiles.create("copy", copying: "e\u{301}")
    try profiles.choose("copy")
    #expect(suite[volume] == 7)
    try profiles.delete("e\u{301}")
    #expect(
      base.names == ["Defaults.profile", "Defaults.profiles.copy", "Defaults.profiles.copy.volume"])
  }
}
