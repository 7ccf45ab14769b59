import Foundation
import TestSupport
import Testing

@testable import Defaults

/// Older kernels, and many network file systems, can't exchange the names of two files.
@Suite("File systems without exchange of names")
struct NoExchangeTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  static let refusals: [POSIXErrorCode] = [.ENOSYS, .EINVAL, .EOPNOTSUPP, .EPERM]

  @Test("If the file system can't exchange names, the file is still replaced", arguments: refusals)
  func replacing(refusal: POSIXErrorCode) throws {
    let process = try settings.open()
    process.disk.fail(with: refusal) { $0.operation == .exchange }
    for number in 1...3 as ClosedRange<Int64> {
      process.set(.integer(number), "x")
      try process.flush(.snapshot)
      #expect(try settings.entries() == ["x": .integer(number)])
    }
    #expect(
      try folder.names() == [SettingsFolder.file, SettingsFolder.journal])
    #expect(process.health == .intact)
    #expect(process.issues.count == 0)
  }

  @Test(
    "If names can't be exchanged, a file that was saved just before the new one is merged")
  func editor() throws {
    let process = try settings.open()
    process.set(1, "x")
    try process.flush(.snapshot)
    process.set(2, "x")
    let edits = Log<Bool>()
    process.disk.fail(with: .ENOSYS) { [settings] call in
      guard call.operation == .exchange else { return false }
      if edits.count == 0 { try? settings.edit(["x": 1, "edited": true]) }
      edits.append(true)
      return true
    }
    try process.flush(.snapshot)
    #expect(edits.count > 1)
    #expect(process.entries == ["x": 2, "edited": true])
    #expect(try settings.entries() == ["x": 2, "edited": true])
  }
}
