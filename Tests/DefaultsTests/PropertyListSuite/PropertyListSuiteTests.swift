import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Suites in property list files", .prompt)
struct PropertyListSuiteTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func open(
    _ name: String = "suite.plist", format: Defaults.PropertyListFormat? = nil
  ) throws -> Defaults.PropertyListSuite {
    try Defaults.PropertyListSuite(
      url: folder.url(name), format: format, onIssue: { [issues] in issues.append($0) })
  }

  @Test("Opening writes nothing, and the first change creates private folders")
  func firstSave() throws {
    let suite = try open("a/b/suite.plist")
    try suite.storage.postponeExports()
    #expect(suite.names == [])
    try suite.flush()
    #expect(try folder.names() == [])
    suite.set(1, forKey: "x")
    #expect(try folder.names(in: "a/b") == ["suite.plist.journal"])
    suite.set(2, forKey: "x")
    try suite.flush(.snapshot)
    suite.set(3, forKey: "x")
    try suite.flush(.snapshot)
    #expect(suite.url?.path == folder["a/b/suite.plist"])
    for name in ["suite.plist", "suite.plist.journal"] {
      #expect(try folder.mode(of: "a/b/\(name)") == 0o600)
    }
    #expect(try folder.mode(of: "a/b") == 0o700)
    #expect(
      try folder.names(in: "a/b") == ["suite.plist", "suite.plist.journal"])
  }

  @Test("After the first and each later normal exit, the property list has the current settings")
  func exitWritesFile() async throws {
    for number in 1...2 as ClosedRange<Int64> {
      await #expect(processExitsWith: .exitCode(3)) {
        [path = folder["suite.plist"] as String, number = number as Int64] in
        let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
        suite.set(number, forKey: "x")
        exit(3)
      }
      // As another program reads it, which doesn't know of a journal.
      let data = try Data(contentsOf: folder.url("suite.plist"))
      #expect(try Defaults.PropertyListFormat.decode(data).entries == ["x": .integer(number)])
    }
  }

  @Test("A new file is binary, or XML if requested, and an existing file keeps its format")
  func formats() throws {
    func start(of name: String) throws -> String {
      String(decoding: try Data(contentsOf: folder.url(name)).prefix(5), as: UTF8.self)
    }
    for (name, format) in [("binary", nil), ("xml", Defaults.PropertyListFormat.xml)] {
      let suite = try open(name, format: format)
      suite.set(1, forKey: "x")
      try suite.flush(.snapshot)
    }
    #expect(try start(of: "binary") == "bplis")
    #expect(try start(of: "xml") == "<?xml")
    try FileManager.default.copyItem(at: folder.url("xml"), to: folder.url("found"))
    let found = try open("found")
    #expect(found.integer(forKey: "x") == 1)
    found.set(2, forKey: "x")
    try found.flush(.snapshot)
    #expect(try start(of: "found") == "<?xml")
  }

  @Test("A file with values that a format can't hold isn't opened in that format")
  func impossibleFormat() throws {
    do {
      let suite = try open("binary")
      suite.set(Date(timeIntervalSinceReferenceDate: 0.5), forKey: "now")
      try suite.flush(.snapshot)
    }
    try FileManager.default.copyItem(at: folder.url("binary"), to: folder.url("copy"))
    let error = #expect(throws: Defaults.SuiteError.self) { try open("copy", format: .xml) }
    #expect(error?.code == .unrepresentable)
    #expect(error?.key == "now")
  }

  @Test("One file has one state, whichever path opens it")
  func sharedState() throws {
    try folder.makeFolder("real")
    try folder.link("folder", to: "real")
    try folder.link("file.plist", to: "real/suite.plist")
    let paths = [
      "real/suite.plist", "folder/suite.plist", "file.plist", "real/../real/suite.plist",
    ]
    let suites = try paths.map { try open($0) }
    let keys = suites.map { Defaults.Key("x", default: 0, suite: $0) }
    #expect(Set<Defaults.AnyKey>(keys).count == 1)
    for (number, key) in keys.enumerated() {
      Defaults[key] = number + 1
      #expect(keys.map { Defaults[$0] } == keys.map { _ in number + 1 })
    }
    try suites[1].flush(.snapshot)
    #expect(try folder.type(of: "file.plist") == .typeSymbolicLink)
    #expect(try folder.names(in: "real") == ["suite.plist", "suite.plist.journal"])
    #expect(try folder.names() == ["file.plist", "folder", "real"])
  }

  @Test("A relative path opens the same suite as the absolute one")
  func relativePath() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      precondition(FileManager.default.changeCurrentDirectoryPath(path))
      let relative = try Defaults.PropertyListSuite(url: URL(filePath: "suite.plist"))
      let absolute = try Defaults.PropertyListSuite(url: URL(filePath: path + "/suite.plist"))
      relative.set(1, forKey: "x")
      precondition(absolute.integer(forKey: "x") == 1)
    }
  }

  @Test("Each suite that is opened reads the values that an earlier, released suite stored")
  func reopening() throws {
    for number in 0..<20 {
      let suite = try open()
      #expect(suite.integer(forKey: "count") == number)
      suite.set(number + 1, forKey: "count")
    }
  }

  @Test(
    "A damaged file is quarantined before anything is written, and is reported",
    arguments: [
      "", " \n", "hello", "bplist00", "<?xml version=\"1.0\"?><plist><array/></plist>",
      "{ a = 1; }",
    ])
  func damagedFile(content: String) throws {
    try folder.write(content, to: "suite.plist", mode: 0o640)
    let suite = try open()
    suite.register(defaults: ["x": 5])
    #expect(suite.integer(forKey: "x") == 5)
    #expect(issues.codes == [.quarantined])
    let aside = try #require(folder.names().first { $0.hasPrefix("suite.plist.corrupt-") })
    #expect(issues.last?.description.contains(aside) == true)
    #expect(suite.health == .startedEmpty)
    suite.set(6, forKey: "x")
    try suite.flush(.snapshot)
    #expect(try folder.text(of: aside) == content)
    #expect(
      try folder.names() == ["suite.plist", aside, "suite.plist.journal"])
  }

  @Test(
    "A file that can't be read isn't treated as empty or overwritten",
    arguments: ["folder", "pipe", "file/x", "loop"])
  func unreadable(name: String) throws {
    try folder.makeFolder("folder")
    try folder.write("text", to: "file")
    try folder.link("loop", to: "loop")
    mkfifo(folder["pipe"], 0o600)
    let before = try folder.names()
    let error = #expect(throws: Defaults.SuiteError.self) { try open(name) }
    #expect(error?.code == .unreadable || error?.code == .unwritable)
    #expect(error?.description.contains(folder.path) == true)
    #expect(try folder.names() == before)
  }

  @Test("Opening a file without read permission throws and leaves the file unchanged")
  func permissions() async throws {
    try folder.write("text", to: "secret.plist", mode: 0o000)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      do {
        _ = try Defaults.PropertyListSuite(url: URL(filePath: "\(path)/secret.plist"))
        fatalError("The suite was opened")
      } catch let error as Defaults.SuiteError {
        precondition(error.code == .unreadable)
      }
    }
    #expect(try folder.names() == ["secret.plist"])
  }

  @Test(
    "If a file takes the place of a suite's folder, flush throws, and later stores all settings")
  func folderGone() throws {
    // Without background work, whose snapshot would create the folder again.
    let suite = try OpenSuite(folder["home/suite.plist"]).suite
    suite.set("old", forKey: "x")
    suite.set("kept", forKey: "y")
    try suite.flush(.snapshot)
    // The folder is moved away, and a file takes its place.
    try FileManager.default.moveItem(at: folder.url("home"), to: folder.url("away"))
    try folder.write("in the way", to: "home")
    suite.set("new", forKey: "x")
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.flush() }
    #expect(error?.path?.hasPrefix(folder["home"]) == true)
    #expect(suite.string(forKey: "x") == "new")
    #expect(
      try Defaults.PropertyListSuite(url: folder.url("away/suite.plist")).string(forKey: "x")
        == "old")
    try FileManager.default.removeItem(at: folder.url("home"))
    try suite.flush(.snapshot)
    try FileManager.default.copyItem(at: folder.url("home/suite.plist"), to: folder.url("copy"))
    #expect(try open("copy").entries == ["x": "new", "y": "kept"])
  }

  @Test(
    "A named suite is in the configuration folder, and .standard has the program's name")
  func locations() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let named = try Defaults.PropertyListSuite(named: "com.example.shared")
      precondition(named.url?.path == path + "/com.example.shared/Defaults.plist")
      let program = ProcessInfo.processInfo.processName
      let standard = Defaults.PropertyListSuite.standard
      precondition(standard.url?.path == "\(path)/\(program)/Defaults.plist")
      let twin = try Defaults.PropertyListSuite(named: program)
      twin.set(1, forKey: "x")
      precondition(standard.integer(forKey: "x") == 1)
    }
    for name in ["", "a/b", "..", "."] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try Defaults.PropertyListSuite(named: name)
      }
      #expect(error?.code == .noLocation)
    }
  }

  @Test("If .standard can't be read, it works in memory, reports it and writes nothing")
  func standardInMemory() async throws {
    try folder.write("in the way", to: "config")
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [path = folder["config"] as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let key = Defaults.Key("x", default: 0)
      Defaults[key] = 1
      precondition(Defaults[key] == 1)
      precondition(Defaults.PropertyListSuite.standard.url == nil)
      do {
        try await Defaults.PropertyListSuite.standard.flush()
        fatalError("The flush succeeded")
      } catch let error as Defaults.SuiteError {
        precondition(error.code == .inMemory)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("won't be stored"))
    #expect(try folder.text(of: "config") == "in the way")
  }

  @Test("Defaults can be registered from a file, and an invalid file registers nothing")
  func registeredFile() throws {
    let shipped: [String: Defaults.PropertyListValue] = ["theme": "dark", "volume": 0.5]
    try Defaults.PropertyListFormat.xml.encode(shipped).write(to: folder.url("shipped.plist"))
    try folder.write("oops", to: "bad.plist")
    let suite = try open()
    try suite.register(defaultsFrom: folder.url("shipped.plist"))
    #expect(suite.string(forKey: "theme") == "dark")
    let volume = Defaults.Key("volume", default: 0.8, suite: suite)
    #expect(Defaults[volume] == 0.5)
    #expect(suite.names == [])
    for (name, code) in [
      ("bad.plist", Defaults.SuiteError.Code.malformed), ("missing.plist", .unreadable),
    ] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.register(defaultsFrom: folder.url(name))
      }
      #expect(error?.code == code)
    }
    #expect(try folder.text(of: "bad.plist") == "oops")
  }

  @Test(
    "A file that Python's plistlib wrote opens with the same values",
    .enabled(if: ChildProcess.python != nil), arguments: ["FMT_BINARY", "FMT_XML"])
  func plistlib(format: String) async throws {
    let script = """
      import plistlib, sys, datetime
      plistlib.dump({'b': True, 'i': -5, 'u': 2**64-1, 'r': 0.1, 's': 'J\\u00fc\\U0001f984',
        'd': datetime.datetime(2026, 11, 21, 1, 2, 3), 'x': b'\\x00\\xff', 'a': [1, [2], {}],
        'm': {'k': 'v', 'same': 'v'}}, open(sys.argv[1], 'wb'), fmt=plistlib.\(format))
      """
    let python = try #require(ChildProcess.python)
    let outcome = try await ChildProcess.run(python, ["-c", script, folder["suite.plist"]])
    try #require(outcome.status == 0, "\(outcome.error)")
    #expect(
      try open().entries == [
        "b": true, "i": -5, "u": .unsignedInteger(.max), "r": 0.1, "s": "Jü🦄",
        "d": .date(Date(timeIntervalSince1970: 1_795_222_923)), "x": .data(Data([0, 255])),
        "a": [1, [2], [:]], "m": ["k": "v", "same": "v"],
      ])
  }
}
