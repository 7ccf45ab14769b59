import Testing

@testable import Defaults

@Suite("Access lists")
struct AccessListTests {
  /// A list in the words of `getfacl`: `u::rw u:1:r g::r g:2:w m::rw o::-`.
  private func list(_ text: String) -> AccessList {
    AccessList(
      text.split(separator: " ").map { word in
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        let isNamed = !parts[1].isEmpty
        let subject: AccessList.Subject =
          switch parts[0] {
          case "u": isNamed ? .user : .owner
          case "g": isNamed ? .group : .owningGroup
          case "m": .mask
          default: .others
          }
        let rights = [("r", 4), ("w", 2), ("x", 1)] as [(Character, UInt16)]
        return .init(
          subject: subject,
          rights: rights.reduce(0) { parts[2].contains($1.0) ? $0 | $1.1 : $0 },
          id: UInt32(parts[1]) ?? .max)
      })
  }

  @Test("An encoded access list has the same bytes as the system's own")
  func bytes() throws {
    let bytes: [UInt8] = [
      2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0, 210, 4, 0, 0, 4, 0, 4, 0, 255, 255,
      255, 255, 16, 0, 6, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255,
    ]
    let list = list("u::rw u:1234:rw g::r m::rw o::-")
    #expect(list.bytes == bytes)
    #expect(AccessList(bytes) == list)
  }

  @Test(
    "Bytes of another version, or with a partial entry, aren't read as an access list",
    arguments: [
      [], [2, 0, 0], [3, 0, 0, 0], [2, 0, 0, 0, 1, 0, 6, 0], [2, 0, 0, 0, 64, 0, 6, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func otherBytes(bytes: [UInt8]) {
    #expect(AccessList(bytes) == nil)
  }

  @Test(
    "The mode that replaces an access list gives no user or group more rights than the list",
    arguments: [
      ("u::rw u:1:rw g::r m::rw o::-", 0o640), ("u::rw g::rw g:2:rw m::r o::r", 0o644),
      ("u::rw u:1:- g::rw m::rw o::r", 0o600), ("u::rw g::rw g:2:- m::rw o::r", 0o660),
      ("u::rw g::- o::-", 0o600),
    ])
  func mode(text: String, mode: UInt32) {
    #expect(list(text).mode == mode)
  }

  @Test(
    "The access list of a journal admits all users who may write the settings",
    arguments: [
      ("u::rw u:1:rw g::r m::rw o::-", "u::rw u:1:rw g::- m::rw o::-"),
      ("u::rw u:1:rw g::rw m::r o::r", "u::rw u:1:- g::- m::- o::-"),
      ("u::r u:1:r u:3:w g::rwx g:2:r m::rwx o::w", "u::rw u:1:- u:3:rw g::rw g:2:- m::rw o::rw"),
    ])
  func writers(text: String, journal: String) {
    #expect(list(text).ofWriters == list(journal))
  }

  @Test(
    "An owner or group that a file can't keep gets an entry, and no other user gains rights")
  func lostOwner() {
    var list = list("u::rw u:1:rw g::rw m::r o::-")
    list.addOwner(as: 5)
    #expect(list == self.list("u::rw u:1:r u:5:rw g::r m::rw o::-"))
    list.addOwner(as: 1)
    #expect(list == self.list("u::rw u:1:rw u:5:rw g::r m::rw o::-"))
    list.addOwningGroup(as: 9)
    #expect(list == self.list("u::rw u:1:rw u:5:rw g::- g:9:r m::rw o::-"))
  }

  @Test("A user or group may write if an entry and the mask of the access list allow it")
  func writing() {
    let full = list("u::rw u:1:rw u:2:r g::rw g:7:rw g:8:r m::rw o::-")
    #expect([1, 2, 3].map { full.allowsWriting(user: $0) } == [true, false, false])
    let groups = [5, 6, 7, 8] as [UInt32]
    #expect(
      groups.map { full.allowsWriting(group: $0, owningGroup: 5) } == [true, false, true, false])
    let masked = list("u::rw u:1:rw g::rw g:7:rw m::r o::-")
    #expect(!masked.allowsWriting(user: 1))
    #expect(groups.allSatisfy { !masked.allowsWriting(group: $0, owningGroup: 5) })
  }
}
