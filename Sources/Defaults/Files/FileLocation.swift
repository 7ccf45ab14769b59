import Foundation

/// Where the file of a suite lives.
///
/// On Linux that is `<configuration>/<name>/Defaults.plist`, where the configuration folder is
/// `$XDG_CONFIG_HOME`, else `$HOME/.config`, else `.config` in the home folder that the password
/// database gives; a variable that is empty or isn't an absolute path counts as unset. In a
/// program that runs with other rights than those of the user who started it (set-user-id,
/// set-group-id, capabilities) both variables count as unset: they say where that person
/// wants files to be. On Apple platforms it is the application support folder. `.standard` is the
/// suite that has the identifier as its name.
package enum FileLocation {
  /// What the file is called, in the folder that has the suite's name.
  static let fileName = "Defaults.plist"

  /// The bundle identifier, or the executable's name where there is none; never empty.
  package static let identifier = identifier(from: identifierSources)

  /// The identifier of a program that no source knows. All such programs of a user share it.
  static let unknownIdentifier = "unknown-program"

  /// The first name of these that can name a folder, or `unknownIdentifier`.
  static func identifier(from sources: [@Sendable () -> String?]) -> String {
    for source in sources {
      if let name = source(), FileName.problem(with: name) == nil { return name }
    }
    return unknownIdentifier
  }

  /// What knows the program's name, the most exact source first.
  ///
  /// Without `/proc`, as in some containers and chroots, the link isn't there, the process name is
  /// empty, and so are Swift's arguments. The path in the auxiliary vector is there always.
  private static let identifierSources: [@Sendable () -> String?] = {
    var sources: [@Sendable () -> String?] = [
      // Elsewhere programs have no bundle, and Foundation traps where it asks for it if the user
      // may not search the folder of the executable, as after a daemon has dropped its rights. To
      // have `ProcessInfo` read this link, as it does, takes a process 0.2 ms.
      {
        // The next source takes its place where the link can't be read.
        (try? LocalFileSystem().destination(ofLink: "/proc/self/exe"))
          .map(programName(ofExecutable:))
      },
      { startedPath.flatMap(programName(ofStartedPath:)) },
      { ProcessInfo.processInfo.processName },
      { CommandLine.arguments.first.flatMap(lastComponent(of:)) },
    ]
    #if canImport(Darwin)
      sources.insert({ Bundle.main.bundleIdentifier }, at: 0)
    #endif
    return sources
  }()

  /// The path by which the system started the program; nil where it doesn't say.
  private static var startedPath: String? {
    #if canImport(Darwin)
      return nil
    #else
      // 31 is AT_EXECFN (`include/uapi/linux/auxvec.h`).
      guard let getauxval, let path = UnsafePointer<CChar>(bitPattern: getauxval(31)) else {
        return nil
      }
      return String(validatingCString: path)
    #endif
  }

  /// The name of a program that was started by a path. Links are followed, so that the name is the
  /// one that `/proc/self/exe` has.
  static func programName(ofStartedPath path: String) -> String? {
    do {
      return try CanonicalPath(path, on: LocalFileSystem()).name
    } catch {
      // The program was moved since, perhaps.
      return lastComponent(of: path)
    }
  }

  /// The last component of a path, which may be relative.
  private static func lastComponent(of path: String) -> String? {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
  }

  /// The name of a program by what `/proc/self/exe` says: with a remark behind it if the executable
  /// is gone by now, as after an upgrade of a daemon that runs (`proc(5)`).
  static func programName(ofExecutable path: String) -> String {
    let remark = " (deleted)"
    let name = CanonicalPath.name(of: path)
    guard name.hasSuffix(remark), name != remark,
      LocalFileSystem().statusIfVisible(of: path, followingLinks: false) == nil
    else { return name }
    return String(name.dropLast(remark.count))
  }

  /// The path of the file of a suite with this name; looks at nothing but its arguments on Linux.
  ///
  /// Throws `noLocation` for a name that can't name a folder, and if there is no folder to put
  /// it in.
  static func path(
    named name: String, environment: [String: String] = trustedEnvironment(),
    userHome: () -> String? = userHome
  ) throws(SuiteError) -> String {
    if let problem = FileName.problem(with: name) {
      throw SuiteError(
        .noLocation,
        "The name of a suite is a folder's name, and \"\(name)\" \(problem). Choose another",
        suite: name)
    }
    guard let folder = configurationFolder(environment, userHome) else {
      throw SuiteError(
        .noLocation,
        "There is no home folder to keep the file in. Set HOME or XDG_CONFIG_HOME, or give a URL",
        suite: name)
    }
    return "\(folder)/\(name)/\(fileName)"
  }

  /// The variables that count here, as far as they are believed.
  static func trustedEnvironment(
    _ environment: [String: String]? = nil, isForeign: Bool = isStartedByOthers
  ) -> [String: String] {
    if isForeign { return [:] }
    if let environment { return environment }
    var found = [String: String].withRoom
    for name in ["XDG_CONFIG_HOME", "HOME"] {
      found[name] = getenv(name).flatMap { String(validatingCString: $0) }
    }
    return found
  }

  /// Whether the program has rights that its user hasn't, as `secure_getenv(3)` asks;
  /// and also whether it has put on another user or group since.
  package static var isStartedByOthers: Bool {
    #if !canImport(Darwin)
      // 23 is AT_SECURE (`include/uapi/linux/auxvec.h`).
      if let getauxval, getauxval(23) != 0 { return true }
    #endif
    return geteuid() != getuid() || getegid() != getgid()
  }

  #if !canImport(Darwin)
    private typealias Getauxval = @convention(c) (CUnsignedLong) -> CUnsignedLong

    /// The Glibc module doesn't have it.
    private static let getauxval = dlsym(nil, "getauxval").map {
      unsafeBitCast($0, to: Getauxval.self)
    }
  #endif

  private static func configurationFolder(
    _ environment: [String: String], _ userHome: () -> String?
  ) -> String? {
    #if canImport(Darwin)
      return URL.applicationSupportDirectory.path
    #else
      func absolute(_ path: String?) -> String? {
        path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
      }
      if let folder = absolute(environment["XDG_CONFIG_HOME"]) { return folder }
      let home = absolute(environment["HOME"]) ?? absolute(userHome())
      return home.map { $0 + "/.config" }
    #endif
  }

  /// The home folder that the password database gives the effective user; nil without an entry.
  static func userHome() -> String? {
    var capacity = 1024
    // An entry that doesn't fit into a megabyte isn't one.
    while capacity <= 1 << 20 {
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      var home: String?
      let problem = withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
        guard let start = buffer.baseAddress else { return ENOMEM }
        let problem = getpwuid_r(geteuid(), &entry, start, buffer.count, &found)
        // The entry's strings live in the buffer.
        if problem == 0, found != nil, let bytes = entry.pw_dir {
          home = String(validatingCString: bytes)
        }
        return problem
      }
      switch problem {
      case 0: return home
      case EINTR: continue
      case ERANGE: capacity *= 4
      default: return nil
      }
    }
    return nil
  }
}
