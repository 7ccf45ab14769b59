#if !canImport(Darwin)
  import Foundation
  import TestSupport

  @testable import Defaults

  /// Reads and writes extended attributes of a test's files with the system calls of the library.
  enum Attributes {
    /// Whether the file system of the tests' folders supports access lists.
    static let areAccessListsAvailable = isAvailable { path in
      try set("system.posix_acl_access", to: example.bytes, of: path)
      return try get("system.posix_acl_access", of: path) == example.bytes
    }

    /// Whether the file system of the tests' folders supports user extended attributes.
    static let areUserAttributesAvailable = isAvailable { path in
      try set("user.test", to: [1], of: path)
      return try get("user.test", of: path) == [1]
    }

    /// `u::rw u:1234:rw g::r m::rw o::-`.
    static let example = AccessList([
      .init(subject: .owner, rights: 6), .init(subject: .user, rights: 6, id: 1_234),
      .init(subject: .owningGroup, rights: 4), .init(subject: .mask, rights: 6),
      .init(subject: .others, rights: 0),
    ])

    static func get(_ name: String, of path: String) throws -> [UInt8]? {
      try LocalFileSystem().attribute(name, of: path)
    }

    static func set(_ name: String, to value: [UInt8]?, of path: String) throws {
      let isFolder = try LocalFileSystem().status(of: path).kind == .folder
      try LocalFileSystem().open(path, isFolder ? .folder : .update).setAttribute(name, to: value)
    }

    /// The access list of a file, as stored by the system.
    static func list(of path: String) throws -> AccessList? {
      try get("system.posix_acl_access", of: path).flatMap { AccessList($0) }
    }

    private static func isAvailable(_ isSet: (String) throws -> Bool) -> Bool {
      guard let folder = try? TemporaryFolder() else { return false }
      return withExtendedLifetime(folder) {
        guard (try? folder.write("", to: "file")) != nil else { return false }
        return (try? isSet(folder["file"])) ?? false
      }
    }
  }
#endif
