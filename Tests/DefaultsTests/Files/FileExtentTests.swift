import Foundation
import Testing

@testable import Defaults

@Suite("How large an open file is, and how many names it has")
struct FileExtentTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("It is what the status says, as the file grows, gets a second name, and loses both")
  func agreement() throws {
    let files = Defaults.LocalFileSystem()
    let file = try files.open(folder["file"], .create)
    func check(size: Int, names: Int) throws {
      #expect(try file.extent() == Defaults.FileExtent(size: size, names: names))
      #expect(try file.extent() == Defaults.FileExtent(file.status()))
    }
    try check(size: 0, names: 1)
    try file.truncate(to: 70_000)
    try check(size: 70_000, names: 1)
    try files.addName(folder["other"], to: folder["file"])
    try check(size: 70_000, names: 2)
    try files.removeName(folder["file"])
    try files.removeName(folder["other"])
    try check(size: 70_000, names: 0)
  }
}
