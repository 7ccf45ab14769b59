import Defaults
@testable import DefaultsSync
import Foundation
import TestSupport
import Testing

@Suite("The suite of a folder sync", .timeLimit(.aHang))
struct SyncSuiteTests {
  @Test("A sync without a suite syncs the suite of its keys")
  func suiteOfKeys() throws {
    let folder = try Peer.folder()
    let a = try Peer(folder.url("a.plist"))
    let b = try Peer(folder.url("b.plist"))
    let url = folder.url("shared")
    a.suite[a.local] = "here"
    try Defaults.FolderSync(folder: url, name: "app", keys: [a.theme, a.local]).now()
    let shared = try SharedFolder(url.path, suite: "app")
    try Defaults.FolderSync(transport: shared, keys: [b.theme, b.local]).now()
    #expect(b.suite[b.local] == "here")
  }
}
