import Foundation

/// The location of a suite's file.
///
/// On Linux that is `<configuration>/<name>/Defaults.plist`. The configuration folder is
/// `$XDG_CONFIG_HOME`, else `$HOME/.config`, else `.config` in the home folder in the password
/// database. A variable that is empty or isn't an absolute path is ignored. Privileged programs
/// (set-user-id, set-group-id, capabilities) ignore both variables, since the user who starts the
/// program controls them. On Apple platforms the configuration folder is the application support
/// folder. The name for `.standard` is ``identifier``.
package enum FileLocation {
  /// The name of the file, in the folder with the suite's name.
  static let fileName = "Defaults.plist"

  /// The bundle identifier or, without one, the executable's name; never empty.
  package static let identifier = identifier(from: identifierSources)

  /// Returns the first name that can name a folder. All programs of a user without such a name
  /// share one.
  static func identifier(from sources: [@Sendable () -> String?]) -> String {
    sources.lazy.compactMap { $0() }.first { FileName.problem(with: $0) == nil }
      ?? "unknown-program"
  }

  /// The sources of the program's name, the most exact source first.
  ///
  /// Without `/proc`, as in some containers and chroots, `/proc/self/exe` doesn't exist, and the
  /// process name and Swift's arguments are empty. The path in the auxiliary vector is always
  /// available.
  private static let identifierSources: [@Sendable () -> String?] = {
    var sources: [@Sendable () -> String?] = [
      // On Linux there are no bundles, and Foundation's look-up traps if the user may not search
      // the executable's folder, as after a daemon has dropped its privileges. Reading this link
      // through `ProcessInfo` would take a process 0.2 ms.
      {
        // If the link can't be read, the next source is used.
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

  /// The path by which the system started the program; nil if unknown.
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

  /// Returns the name of a program that was started by a path. Links are followed, as in
  /// `/proc/self/exe`.
  static func programName(ofStartedPath path: String) -> String? {
    do {
      return try CanonicalPath(path).name
    } catch {
      // The program may have been moved since its start.
      return lastComponent(of: path)
    }
  }

  /// Returns the last component of a path, which may be relative.
  private static func lastComponent(of path: String) -> String? {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
  }

  /// Returns the name of a program by the path in `/proc/self/exe`. If the executable was removed,
  /// as by an upgrade of a running daemon, the path ends in a remark (`proc(5)`).
  static func programName(ofExecutable path: String) -> String {
    let remark = " (deleted)"
    let name = CanonicalPath.name(of: path)
    guard name.hasSuffix(remark), name != remark,
      LocalFileSystem().statusIfVisible(of: path, followingLinks: false) == nil
    else { return name }
    return String(name.dropLast(remark.count))
  }

  /// Returns the path of the file of a suite with this name. On Linux this only uses the arguments.
  ///
  /// - Throws: `noLocation` for a name that can't name a folder, or if there is no configuration
  ///   folder or its path isn't UTF-8.
  static func path(
    named name: String,
    variable: (String) throws(Errno) -> String? = { name throws(Errno) in try variable(name) },
    userHome: () throws(Errno) -> String? = userHome
  ) throws(SuiteError) -> String {
    if let problem = FileName.problem(with: name) {
      throw SuiteError(
        .noLocation,
        "A suite's name is also a folder's name, and \"\(name)\" \(problem). Choose another",
        suite: name)
    }
    let found: String?
    do throws(Errno) {
      found = try configurationFolder(variable, userHome)
    } catch {
      throw SuiteError(
        .noLocation, "The path in HOME or XDG_CONFIG_HOME can't be used", suite: name, error)
    }
    guard let folder = found else {
      throw SuiteError(
        .noLocation,
        "There is no home folder for the file. Set HOME or XDG_CONFIG_HOME, or give a URL",
        suite: name)
    }
    return "\(folder)/\(name)/\(fileName)"
  }

  /// Returns a variable; nil for a privileged program. Throws EILSEQ if it isn't UTF-8.
  static func variable(
    _ name: String, isForeign: Bool = isStartedByOthers
  ) throws(Errno) -> String? {
    guard !isForeign, let value = getenv(name) else { return nil }
    return try text(value)
  }

  /// Returns a path of the system. A path that isn't UTF-8 would be that of another folder.
  private static func text(_ path: UnsafePointer<CChar>) throws(Errno) -> String {
    guard let text = String(validatingCString: path) else { throw Errno(.EILSEQ) }
    return text
  }

  /// Whether the program has privileges that its user lacks, as `secure_getenv(3)` checks, or has
  /// changed its user or group since.
  package static var isStartedByOthers: Bool {
    #if !canImport(Darwin)
      // 23 is AT_SECURE (`include/uapi/linux/auxvec.h`).
      if let getauxval, getauxval(23) != 0 { return true }
    #endif
    return geteuid() != getuid() || getegid() != getgid()
  }

  #if !canImport(Darwin)
    private typealias Getauxval = @convention(c) (CUnsignedLong) -> CUnsignedLong

    /// The function, which the Glibc module lacks.
    private static let getauxval = dlsym(nil, "getauxval").map {
      unsafeBitCast($0, to: Getauxval.self)
    }
  #endif

  private static func configurationFolder(
    _ variable: (String) throws(Errno) -> String?, _ userHome: () throws(Errno) -> String?
  ) throws(Errno) -> String? {
    #if canImport(Darwin)
      return URL.applicationSupportDirectory.path
    #else
      func absolute(_ path: String?) -> String? {
        path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
      }
      if let folder = try absolute(variable("XDG_CONFIG_HOME")) { return folder }
      if let home = try absolute(variable("HOME")) { return home + "/.config" }
      return try absolute(userHome()).map { $0 + "/.config" }
    #endif
  }

  /// Returns the home folder of the effective user in the password database; nil without an entry.
  /// Throws EILSEQ if it isn't UTF-8.
  static func userHome() throws(Errno) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // A valid entry fits into a megabyte. The entry's strings are in the buffer.
    return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 20) {
      buffer -> Result<String?, Errno> in
      guard let start = buffer.baseAddress else { return .success(nil) }
      var problem = EINTR
      while problem == EINTR {
        problem = getpwuid_r(geteuid(), &entry, start, buffer.count, &found)
      }
      guard problem == 0, found != nil, let home = entry.pw_dir else { return .success(nil) }
      return Result { () throws(Errno) -> String? in try text(home) }
    }.get()
  }
}
