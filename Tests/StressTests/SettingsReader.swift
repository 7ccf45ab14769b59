import Defaults
import Foundation
import Harness
import Synchronization

/// Reads settings as a program does that starts after all others have ended.
enum SettingsReader {
  struct Outcome {
    let entries: [String: Defaults.PropertyListValue]
    var issues: [String] = []
    var isIntact = true
  }

  /// Throws if the settings can't be opened.
  static func read(_ subject: Subject, in folder: URL) throws -> Outcome {
    switch subject {
    case .defaults: try readSuite(at: subject.file(in: folder))
    case .userDefaults: try readPropertyList(at: subject.file(in: folder))
    }
  }

  private static func readSuite(at url: URL) throws -> Outcome {
    let issues = IssueLog()
    weak var storage: Defaults.StoredSuite?
    let outcome = try {
      let suite = try Defaults.PropertyListSuite(url: url, onIssue: { issues.add($0) })
      storage = suite.storage
      return Outcome(
        entries: suite.entries, issues: issues.all, isIntact: suite.health == .intact)
    }()
    // Until the suite is closed, another opening would share its state instead of reading the file.
    let start = MonotonicTime.now
    while storage != nil {
      guard MonotonicTime.seconds(since: start) < 10 else {
        throw HarnessError("A released suite stays open")
      }
      usleep(100)
    }
    return outcome
  }

  /// Reads an unreadable file as empty, as `UserDefaults` does.
  private static func readPropertyList(at url: URL) throws -> Outcome {
    guard let data = try? Data(contentsOf: url),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
      let entries = list as? [String: Any]
    else { return Outcome(entries: [:], isIntact: false) }
    return Outcome(
      entries: entries.compactMapValues {
        switch $0 {
        case let text as String: .string(text)
        case let number as Int: .integer(Int64(number))
        default: nil
        }
      })
  }
}

/// Collects the issues of a suite.
final class IssueLog: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ issue: Defaults.Issue) {
    lines.withLock { $0.append(issue.description) }
  }

  var all: [String] { lines.withLock { $0 } }
}
