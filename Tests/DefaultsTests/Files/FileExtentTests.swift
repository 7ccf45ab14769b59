import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The size of an open file and the number of its names")
struct FileExtentTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("The extent of a file agrees with its status when it grows and gains or loses names")
  func agreement() throws {
    let files = LocalFileSystem()
    let file = try files.open(folder["file"], .create)
    func check(size: Int, names: Int) throws {
      let extent = try file.extent()
      #expect(extent.size == size && extent.names == names)
      #expect(try extent == FileExtent(file.status()))
      #expect(try extent.isOf(file.status().version))
    }
    try check(size: 0, names: 1)
    try file.truncate(to: 70_000)
    try check(size: 70_000, names: 1)
    try files.addName(folder["other"], to: folder["file"])
    try check(size: 70_000, names: 2)
    #expect(try files.extent(of: folder["other"]) == file.extent())
    try files.removeName(folder["file"])
    try files.removeName(folder["other"])
    try check(size: 70_000, names: 0)
    #expect(try files.extent(of: folder["other"]) == nil)
  }

  @Test("The extent of a path to a link describes the link itself; a path through a file throws")
  func paths() throws {
    let files = LocalFileSystem()
    try folder.write("text", to: "file")
    try folder.link("link", to: "file")
    let link = try #require(try files.extent(of: folder["link"]))
    #expect(try link.isOf(files.status(of: folder["link"], followingLinks: false).version))
    #expect(try !link.isOf(files.status(of: folder["file"]).version))
    #expect(throws: Errno(.ENOTDIR)) { try files.extent(of: folder["file/x"]) }
  }
}
