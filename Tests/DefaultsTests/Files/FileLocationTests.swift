import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Locations of files", .prompt)
struct FileLocationTests {
  #if !canImport(Darwin)
    @Test(
      "The configuration folder is in XDG_CONFIG_HOME, else in HOME, else in the user's home",
      arguments: [
        (["XDG_CONFIG_HOME": "/etc/x", "HOME": "/home/a"], "/etc/x/app/Defaults.plist"),
        (["HOME": "/home/a"], "/home/a/.config/app/Defaults.plist"),
        (["XDG_CONFIG_HOME": "", "HOME": "/home/a"], "/home/a/.config/app/Defaults.plist"),
        (["XDG_CONFIG_HOME": "conf", "HOME": "/home/a"], "/home/a/.config/app/Defaults.plist"),
        (["XDG_CONFIG_HOME": "~/conf", "HOME": "/home/a"], "/home/a/.config/app/Defaults.plist"),
        (["HOME": ""], "/users/b/.config/app/Defaults.plist"),
        (["HOME": "home"], "/users/b/.config/app/Defaults.plist"),
        ([:], "/users/b/.config/app/Defaults.plist"),
      ])
    func configurationFolder(environment: [String: String], path: String) throws {
      let found = try FileLocation.path(
        named: "app", variable: { environment[$0] }, userHome: { "/users/b" })
      #expect(found == path)
    }

    @Test(
      "A path in HOME or XDG_CONFIG_HOME that isn't UTF-8 is an error, and no other folder is used",
      arguments: ["XDG_CONFIG_HOME", "HOME"])
    func notUTF8(name: String) async {
      await #expect(processExitsWith: .success) { [name = name as String] in
        unsetenv("XDG_CONFIG_HOME")
        // "/é" in Latin-1.
        precondition(setenv(name, [0x2f, CChar(bitPattern: 0xe9), 0], 1) == 0)
        let error = #expect(throws: Defaults.SuiteError.self) {
          try FileLocation.path(named: "app", userHome: { "/users/b" })
        }
        precondition(error?.code == .noLocation && error?.suite == "app")
        precondition(error?.reason.contains("Rename the folders on the path") == true)
      }
    }

    @Test("A home folder that isn't UTF-8 is an error only if no variable names a folder")
    func userHomeNotUTF8() throws {
      func userHome() throws(Errno) -> String? { throw Errno(.EILSEQ) }
      let error = #expect(throws: Defaults.SuiteError.self) {
        try FileLocation.path(named: "app", variable: { _ in nil }, userHome: userHome)
      }
      #expect(error?.code == .noLocation)
      let found = try FileLocation.path(
        named: "app", variable: { $0 == "HOME" ? "/home/a" : nil }, userHome: userHome)
      #expect(found == "/home/a/.config/app/Defaults.plist")
    }

    @Test("A program whose executable is replaced while it runs keeps its name")
    func replacedExecutable() throws {
      let folder = try TemporaryFolder()
      let program = folder["tool"]
      #expect(FileLocation.programName(ofExecutable: program) == "tool")
      #expect(FileLocation.programName(ofExecutable: program + " (deleted)") == "tool")
      // Unless the file has this name.
      try folder.write("", to: "tool (deleted)")
      #expect(FileLocation.programName(ofExecutable: program + " (deleted)") == "tool (deleted)")
    }

    @Test("A privileged program ignores environment variables when it locates its file")
    func foreignEnvironment() async {
      await #expect(processExitsWith: .success) {
        setenv("XDG_CONFIG_HOME", "/etc/x", 1)
        for isForeign in [true, false] {
          let found = try FileLocation.path(
            named: "app",
            variable: { name throws(Errno) in
              try FileLocation.variable(name, isForeign: isForeign)
            }, userHome: { "/users/b" })
          let folder = isForeign ? "/users/b/.config" : "/etc/x"
          precondition(found == folder + "/app/Defaults.plist")
        }
      }
    }

    @Test("A program with another effective user or group is privileged")
    func otherUser() async {
      #expect(!FileLocation.isStartedByOthers)
      for isGroup in [true, false] {
        await #expect(processExitsWith: .success) { [isGroup = isGroup as Bool] in
          guard getuid() == 0 else { return }
          setenv("XDG_CONFIG_HOME", "/etc/x", 1)
          precondition(isGroup ? setegid(65_534) == 0 : seteuid(65_534) == 0)
          precondition(FileLocation.isStartedByOthers)
          let path = try FileLocation.path(named: "app", userHome: { "/users/b" })
          precondition(path == "/users/b/.config/app/Defaults.plist")
        }
      }
    }

    @Test(
      "Without a home folder, locating the file of a named suite throws",
      arguments: [nil, "", "relative"])
    func noHome(userHome: String?) throws {
      let error = try #require(throws: Defaults.SuiteError.self) {
        try FileLocation.path(named: "app", variable: { _ in nil }, userHome: { userHome })
      }
      #expect(error.code == .noLocation)
      #expect(error.reason.contains("XDG_CONFIG_HOME"))
    }

    @Test("The home folder of the current user is found in the password database")
    func passwordDatabase() throws {
      let home = try #require(try FileLocation.userHome())
      #expect(home == getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) })
    }

    @Test("A user without an entry in the password database has no home folder")
    func noEntry() async {
      await #expect(processExitsWith: .success) {
        guard getuid() == 0 else { return }
        precondition(setuid(54_321) == 0)
        let home = try FileLocation.userHome()
        precondition(home == nil)
      }
    }
  #endif

  @Test(
    "A name of a suite that can't be a folder's name is rejected with a reason",
    arguments: [
      "", ".", "..", "/", "a/b", "../a", "a/", "a/\u{338}b", "a\0b",
      String(repeating: "n", count: 256), String(repeating: "é", count: 128),
    ])
  func invalidNames(name: String) throws {
    let error = try #require(throws: Defaults.SuiteError.self) {
      try FileLocation.path(named: name, variable: { _ in "/home/a" })
    }
    #expect(error.code == .noLocation)
    #expect(error.suite == name)
    #expect(error.reason.contains("Choose another"))
  }

  @Test(
    "A valid name of a suite becomes the name of its folder",
    arguments: [
      "a", ".a", "...", "com.example.app", "a b", "é", "-", String(repeating: "n", count: 255),
    ])
  func validNames(name: String) throws {
    let path = try FileLocation.path(named: name, variable: { _ in "/home/a" })
    #expect(path.hasSuffix("/\(name)/Defaults.plist"))
  }

  @Test(
    "A program's identifier is the first of its names that is valid for a folder, and never empty",
    arguments: [
      (["a", "b"], "a"), ([nil, "b"], "b"), (["", "b"], "b"), (["..", "a/b", "b"], "b"),
      ([nil, ""], "unknown-program"), ([], "unknown-program"),
    ] as [([String?], String)])
  func identifierSources(names: [String?], identifier: String) {
    let sources = names.map { name in { @Sendable in name } }
    #expect(FileLocation.identifier(from: sources) == identifier)
    #expect(FileName.problem(with: identifier) == nil)
  }

  @Test("The path that started a program gives the name of the executable")
  func startedPath() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "tool")
    try folder.link("alias", to: "tool")
    for path in [folder["tool"], folder["alias"], "tool", "./tool", folder["gone/tool"]] {
      #expect(FileLocation.programName(ofStartedPath: path) == "tool")
    }
    #expect(FileLocation.programName(ofStartedPath: "") == nil)
    withExtendedLifetime(folder) {}
  }

  @Test("The suite .standard has the same file as a suite named with the program's identifier")
  func identifier() throws {
    #expect(FileName.problem(with: FileLocation.identifier) == nil)
    let standard = try StoredFile()
    #expect(standard == (try StoredFile(named: FileLocation.identifier)))
  }

  @Test(
    "To add a suffix, a long name is shortened by whole characters and stays distinct",
    arguments: ["a", "é"])
  func joining(character: String) {
    let name = String(repeating: character, count: 300)
    let joined = FileName.joining(name, ".tmp")
    #expect(254...255 ~= joined.utf8.count)
    #expect(joined.hasPrefix(String(name.prefix(120))) && joined.hasSuffix(".tmp"))
    #expect(joined != FileName.joining(name + "x", ".tmp"))
    #expect(FileName.joining(character, ".tmp") == character + ".tmp")
    let longest = String(repeating: "a", count: 251)
    #expect(FileName.joining(longest, ".tmp") == longest + ".tmp")
  }
}
