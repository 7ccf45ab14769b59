#if !canImport(Darwin)
  import Foundation
  import Testing

  @testable import Defaults

  @Suite(
    "Files with extended attributes",
    .enabled(if: Attributes.areUserAttributesAvailable, "the file system has no such attributes"))
  struct UserAttributeTests {
    let settings: SettingsFolder

    init() throws { settings = try SettingsFolder() }

    private let values: [String: [UInt8]] = [
      "user.comment": Array("mine".utf8), "user.empty": [],
      "user.large": [UInt8](repeating: 7, count: 2_000),
    ]

    @Test("A replaced file keeps its user's extended attributes, and so does its journal")
    func kept() throws {
      let process = try settings.open()
      process.set(1, "x")
      try process.flush(.snapshot)
      let names = [SettingsFolder.file, SettingsFolder.journal]
      for name in names {
        for (attribute, value) in values {
          try Attributes.set(attribute, to: value, of: settings.folder[name])
        }
      }
      for number in 2...3 {
        process.set(.integer(Int64(number)), "x")
        try process.flush(.snapshot)
      }
      for name in names {
        for (attribute, value) in values {
          #expect(try Attributes.get(attribute, of: settings.folder[name]) == value)
        }
      }
      process.kill()
    }

    @Test("Extended attributes that can't be copied are omitted, and the file is saved")
    func notCopied() throws {
      try settings.edit(["x": 0])
      try Attributes.set("user.comment", to: [1], of: settings.path)
      let disk = FaultyFileSystem()
      disk.fail(with: .EOPNOTSUPP) { $0.operation == .changeAttribute }
      let process = try settings.open(on: disk)
      process.set(1, "x")
      try process.flush(.snapshot)
      #expect(try settings.entries() == ["x": 1])
      #expect(process.issues.count == 0)
      process.kill()
    }
  }
#endif
