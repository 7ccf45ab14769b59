import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Profiles", .prompt)
struct ProfileTests {
  let folder: TemporaryFolder
  let base: Defaults.PropertyListSuite
  let suite: Defaults.LayeredSuite
  let profiles: Defaults.Profiles
  let issues = IssueLog()
  let volume: Defaults.Key<Int>
  let theme: Defaults.Key<String>

  init() throws {
    folder = try TemporaryFolder()
    base = try Defaults.PropertyListSuite(url: folder.url("app.plist"))
    suite = try Defaults.LayeredSuite(
      .profile(), .writable(base), .values(["volume": 1]),
      onIssue: { [issues] in issues.append($0) })
    profiles = Defaults.Profiles(of: suite)
    volume = Defaults.Key("volume", default: 0, suite: suite, .in(0...11))
    theme = Defaults.Key("theme", default: "light", suite: suite)
  }

  @Test("Changes are made in the chosen profile, and a reset uncovers the user's own value")
  func writing() throws {
    suite[volume] = 5
    try profiles.create("work")
    try profiles.choose("work")
    #expect(suite[volume] == 5)
    suite[volume] = 7
    try suite.update(volume) { $0 += 1 }
    #expect(suite[volume] == 8 && base.entry(named: "volume") == 5)
    #expect(base.entry(named: "Defaults.profiles.work.volume") == 8)
    try profiles.choose(nil)
    #expect(suite[volume] == 5)
    try profiles.choose("work")
    volume.reset()
    #expect(suite[volume] == 5 && base.entry(named: "Defaults.profiles.work.volume") == nil)
  }

  @Test("Switching the profile is one event with the settings whose values differ")
  func events() throws {
    suite[volume] = 5
    suite[theme] = "dark"
    try profiles.create("work", copying: "default")
    try profiles.choose("work")
    suite[volume] = 7
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    try profiles.choose(nil)
    #expect(events.all.map(\.entries) == [["volume": .init(old: 7, new: 5)]])
    try profiles.choose("work")
    #expect(events.all.last?.entries == ["volume": .init(old: 5, new: 7)])
    #expect(events.count == 2)
    withExtendedLifetime(observation) {}
  }

  @Test("Deleting the chosen profile also clears the choice, in one change; user settings are kept")
  func deletion() throws {
    suite[volume] = 5
    try profiles.create("work")
    try profiles.choose("work")
    suite[volume] = 7
    suite[theme] = "dark"
    let events = Log<Defaults.Change>()
    let observation = suite.observe(nil) { events.append($0) }
    try profiles.delete("work")
    #expect(events.count == 1)
    #expect(suite[volume] == 5 && suite[theme] == "light")
    #expect(profiles.current == nil && profiles.names == [])
    #expect(base.entries == ["volume": 5])
    #expect(issues.count == 0)
    withExtendedLifetime(observation) {}
  }

  @Test(
    "If a program's profile is deleted, the program uses the user's settings, with an issue")
  func deletedMeanwhile() throws {
    suite[volume] = 5
    try profiles.create("work")
    let run = try Defaults.LayeredSuite(
      .profile("work"), .writable(base), onIssue: { [issues] in issues.append($0) })
    try run.set(7, for: volume)
    #expect(run[volume] == 7)
    try profiles.delete("work")
    #expect(run[volume] == 5)
    #expect(issues.codes == [.noProfile])
    try run.set(6, for: volume)
    #expect(base.entries == ["volume": 6])
  }

  @Test("A chosen profile that doesn't exist is reported as an issue, and validation lists it")
  func missing() throws {
    base.set("wrok", forKey: "Defaults.profile")
    #expect(issues.codes == [.noProfile])
    suite[volume] = 4
    #expect(base.entry(named: "volume") == 4)
    let error = #expect(throws: Defaults.ValidationError.self) { try suite.validate([volume]) }
    #expect(error?.problems.map(\.code) == [.noProfile])
    #expect(profiles.current == nil)
  }

  @Test("A missing profile is reported again when it is chosen again")
  func missingAgain() {
    for _ in 0..<2 {
      base.set("wrok", forKey: "Defaults.profile")
      base.removeObject(forKey: "Defaults.profile")
    }
    #expect(issues.codes == [.noProfile, .noProfile])
  }

  @Test(
    "If the choice isn't a profile's name, an issue is reported, and the user's settings are used")
  func hostileChoice() throws {
    try profiles.create("work")
    base.set(5, forKey: "Defaults.profiles.work.volume")
    for choice: Defaults.PropertyListValue in ["work.volume", "../work", "", 5, ["work"]] {
      base.set(choice, forKey: "Defaults.profile")
      suite[volume] = 4
      #expect(base.entry(named: "volume") == 4 && profiles.current == nil)
      volume.reset()
    }
    // The last two are the same problem, which is reported once.
    #expect(issues.codes == Array(repeating: .noProfile, count: 4))
    try profiles.choose("work")
    base.removeObject(forKey: "Defaults.profiles.work")
    #expect(issues.count == 5 && suite[volume] == 1)
  }

  @Test("A transaction reads and writes the chosen profile")
  func transaction() throws {
    try profiles.create("work")
    try profiles.choose("work")
    try suite.transaction { draft in
      draft[volume] = 2
      #expect(draft[volume] == 2)
      #expect(draft.names == ["volume"])
      draft[theme] = "dark"
    }
    #expect(
      base.entries.filter { $0.key.hasPrefix("Defaults.profiles.work.") }
        == ["Defaults.profiles.work.volume": 2, "Defaults.profiles.work.theme": "dark"])
    try suite.transaction { $0.removeAll() }
    #expect(profiles.settings(of: "work") == [] && profiles.current == "work")
  }

  @Test(
    "A transaction during which the profile is switched runs again in the new profile")
  func overtaken() throws {
    try profiles.create("work")
    suite[volume] = 5
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      draft[volume] += 1
      if runs == 1 {
        try self.inThread { try self.profiles.choose("work") }
      }
    }
    #expect(runs == 2)
    #expect(base.entry(named: "volume") == 5)
    #expect(base.entry(named: "Defaults.profiles.work.volume") == 6)
  }

  private func inThread(_ body: @escaping @Sendable () throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let log = Log<String>()
    Thread.detachNewThread {
      do { try body() } catch { log.append("\(error)") }
      done.signal()
    }
    done.wait()
    #expect(log.count == 0)
  }

  @Test(
    "A copy of a profile has its settings, and a change to the copy doesn't affect the original")
  func copy() throws {
    suite[volume] = 5
    try profiles.create("work", copying: "default")
    try profiles.choose("work")
    suite[volume] = 7
    try profiles.create("home", copying: "work")
    try profiles.choose("home")
    #expect(suite[volume] == 7)
    suite[volume] = 9
    #expect(base.entry(named: "Defaults.profiles.work.volume") == 7)
    #expect(profiles.names == ["home", "work"])
  }

  @Test("Inspection of a setting lists the profile as a layer, with its file")
  func inspection() throws {
    suite[volume] = 5
    try profiles.create("work")
    try profiles.choose("work")
    suite[volume] = 7
    let entries = suite.inspect(volume)
    #expect(entries.map(\.layer).prefix(3) == ["profile work", "user", "values"])
    #expect(entries.map(\.isWritable).prefix(3) == [true, false, false])
    #expect(entries[0].place == base.label && entries[0].counts)
    #expect(!volume.isShadowed)
    base.set("loud", forKey: "Defaults.profiles.work.volume")
    #expect(suite.inspect(volume)[0].error != nil)
    try profiles.choose(nil)
    #expect(suite.inspect(volume).map(\.layer).prefix(2) == ["profile", "user"])
    #expect(suite.inspect(volume).map(\.isWritable).prefix(2) == [false, true])
  }

  @Test("Profiles survive in the file, where a text editor can add settings to them")
  func file() throws {
    try profiles.create("work")
    try profiles.choose("work")
    suite[volume] = 7
    try suite.flush(.snapshot)
    let file = folder.url("app.plist")
    var entries = try Defaults.PropertyListFormat.decode(Data(contentsOf: file)).entries
    #expect(entries["Defaults.profiles.work.volume"] == 7)
    entries["Defaults.profiles.work.volume"] = 8
    entries["Defaults.profiles.home.theme"] = "dark"
    try Defaults.PropertyListFormat.xml.encode(entries).write(to: file, options: .atomic)
    try suite.refresh()
    #expect(suite[volume] == 8)
    #expect(profiles.names == ["home", "work"])
    try profiles.choose("home")
    #expect(suite[theme] == "dark")
  }

  @Test("When another process switches the profile, observers get the values that change")
  func otherProcess() async throws {
    suite[volume] = 5
    suite[theme] = "dark"
    try profiles.create("work", copying: "default")
    var values = Defaults.updates(volume).makeAsyncIterator()
    let themes = Log<Defaults.KeyChange<String>>()
    let observation = Defaults.observe(theme, options: []) { themes.append($0) }
    #expect(await values.next() == 5)
    await #expect(processExitsWith: .success) { [path = folder["app.plist"] as String] in
      let base = try Defaults.PropertyListSuite(url: URL(filePath: path))
      let suite = try Defaults.LayeredSuite(.profile(), .writable(base))
      try Defaults.Profiles(of: suite).choose("work")
      suite.set(7, forKey: "volume")
      try suite.flush()
    }
    var last = await values.next()
    while last != nil, last != 7 { last = await values.next() }
    #expect(suite[volume] == 7 && profiles.current == "work")
    suite[volume] = 8
    #expect(base.entry(named: "volume") == 5)
    await #expect(processExitsWith: .success) { [path = folder["app.plist"] as String] in
      let base = try Defaults.PropertyListSuite(url: URL(filePath: path))
      #expect(base.entry(named: "Defaults.profiles.work.volume") == 8)
      try Defaults.Profiles(of: base).delete("work")
    }
    while last != nil, last != 5 { last = await values.next() }
    #expect(profiles.current == nil && themes.count == 0)
    withExtendedLifetime(observation) {}
  }

  @Test("While another process switches profiles, each update is made in exactly one profile")
  func switchesDuringUpdates() async throws {
    for name in ["home", "work"] { try profiles.create(name) }
    try profiles.choose("home")
    try await suite.flush()
    async let switches: Void = {
      await #expect(processExitsWith: .success) { [path = folder["app.plist"] as String] in
        let base = try Defaults.PropertyListSuite(url: URL(filePath: path))
        let profiles = Defaults.Profiles(of: base)
        for number in 0..<300 { try profiles.choose(number % 2 == 0 ? "work" : "home") }
        try profiles.choose("work")
      }
    }()
    let count = Defaults.Key("count", default: 0, suite: suite)
    var updates = 0
    while updates < 500 || profiles.current != "work" || updates % 100 != 0 {
      try suite.update(count) { $0 += 1 }
      updates += 1
    }
    await switches
    let counts = ["home", "work"].map { name -> Int in
      let entry = base.entry(named: "Defaults.profiles.\(name).count")
      if case .integer(let value)? = entry { return Int(value) }
      return 0
    }
    #expect(counts.reduce(0, +) == updates && base.entry(named: "count") == nil)
  }

  @Test("Opening a suite whose layer for profiles is below the writable layer traps")
  func order() async {
    await #expect(processExitsWith: .failure) {
      _ = try Defaults.LayeredSuite(.writable(Defaults.MemorySuite()), .profile())
    }
  }
}
