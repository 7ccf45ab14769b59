import Defaults
import Foundation

/// A suite on a property list file, for the crash checker, without background work.
struct SuiteSubject: CrashSubject {
  static let folder = "/settings"
  static let file = folder + "/Defaults.plist"
  static let journal = file + ".journal"

  /// A file of another program.
  static let otherName = "edited"

  struct Problem: Error { let sentence: String }

  func open(on disk: SimulatedDisk) throws -> Defaults.StoredSuite {
    let (suite, start) = try FileStore.open(
      StoredFile(path: Self.file, on: disk), isAutomatic: false, onIssue: { _ in })
    start()
    return suite
  }

  func entries(of suite: Defaults.StoredSuite) -> [String: Defaults.PropertyListValue] {
    suite.entries
  }

  func finish(_ suite: Defaults.StoredSuite) throws {
    try suite.flush(.snapshot)
  }

  /// Checks that only documented files exist, and at most five quarantined ones.
  func inspect(_ disk: SimulatedDisk) throws {
    guard let names = try? disk.names(inFolder: Self.folder) else { return }
    let aside = names.filter { $0.hasPrefix("Defaults.plist.corrupt-") }
    let journalsAside = names.filter { $0.hasPrefix("Defaults.plist.journal.corrupt-") }
    let others = Set(names).subtracting(aside).subtracting(journalsAside)
      .subtracting(["Defaults.plist", "Defaults.plist.journal"])
      .subtracting([Self.otherName])
    guard others.isEmpty, aside.count <= 5, journalsAside.count <= 5 else {
      throw Problem(sentence: "left behind: \(names.sorted())")
    }
  }
}
