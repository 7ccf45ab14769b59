import Foundation
import TestSupport
import Testing

#if !canImport(Darwin)
  /// The README's limitations of Foundation's `UserDefaults` on Linux. If one fails, Foundation was
  /// corrected: remove the limitation from the README.
  @Suite("Limits of Foundation's UserDefaults", .prompt, .needsUserDefaults)
  struct UserDefaultsLimitTests {
    private let domain: UserDefaultsDomain

    init() throws {
      domain = try UserDefaultsDomain()
    }

    @Test("UserDefaults doesn't save at exit")
    func exit() async throws {
      await #expect(processExitsWith: .exitCode(3)) { [name = domain.name as String] in
        UserDefaults(suiteName: name)?.set(1, forKey: "x")
        Foundation.exit(3)
      }
      #expect(domain.fileNumber == nil)
    }

    @Test("UserDefaults writes its file in place")
    func inPlace() throws {
      let userDefaults = try domain.open()
      userDefaults.set(1, forKey: "x")
      _ = userDefaults.synchronize()
      let first = try #require(domain.fileNumber)
      userDefaults.set(2, forKey: "x")
      _ = userDefaults.synchronize()
      #expect(domain.fileNumber == first)
    }

    @Test("UserDefaults treats a damaged file as empty and overwrites it")
    func damagedFile() throws {
      let userDefaults = try domain.open()
      try Data("not a property list".utf8).write(to: domain.file)
      userDefaults.set(1, forKey: "x")
      _ = userDefaults.synchronize()
      let content = try Data(contentsOf: domain.file)
      #expect(content.starts(with: Data("<?xml".utf8)))
    }

    @Test("UserDefaults loses the fraction of a date and the sign of -0.0")
    func exactness() throws {
      let userDefaults = try domain.open()
      userDefaults.set(Date(timeIntervalSinceReferenceDate: 1.5), forKey: "date")
      userDefaults.set(-0.0, forKey: "zero")
      _ = userDefaults.synchronize()
      let content = try PropertyListSerialization.propertyList(
        from: Data(contentsOf: domain.file), format: nil)
      let entries = try #require(content as? [String: Any])
      #expect(entries["date"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
      #expect((entries["zero"] as? NSNumber)?.doubleValue.sign == .plus)
    }
  }
#endif
