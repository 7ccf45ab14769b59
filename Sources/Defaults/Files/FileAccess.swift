import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Defaults {
  /// Whether a file can be saved, found out without touching it.
  package enum FileAccess {
    /// What may be done with a file or folder.
    package struct Rights: OptionSet, Sendable {
      package let rawValue: CInt
      package static let read = Self(rawValue: R_OK)
      package static let write = Self(rawValue: W_OK)
      package static let search = Self(rawValue: X_OK)

      package init(rawValue: CInt) { self.rawValue = rawValue }
    }

    /// Throws `unwritable` if a file couldn't be saved now, given its folder; nil where there is
    /// none.
    ///
    /// A file that exists must be one that we may write, in a folder where we may put its
    /// successor. For a file that doesn't exist yet, the nearest folder that does must let us make
    /// the rest. Room on the disk isn't looked at, and all of it may change the next moment:
    /// saving says so then.
    static func checkWritable(
      _ path: CanonicalPath, exists: Bool, folder found: FileStatus?,
      on fileSystem: any FileSystem
    ) throws(SuiteError) {
      if exists { try requireWritable(path.string, on: fileSystem) }
      var folder = path.folder
      var status = found
      while true {
        if let status {
          guard status.kind == .folder else {
            throw SuiteError(
              .unwritable, "The folder can't be made", path: folder, POSIXError(.ENOTDIR))
          }
          return try require(
            [.write, .search], of: folder, "No file can be made in the folder", fileSystem)
        }
        // The root exists, so this ends.
        folder = CanonicalPath.folder(of: folder)
        status = try FileReading.status(of: folder, on: fileSystem)
      }
    }

    /// Throws `unwritable` if we may not write the file. Replacing it would work in spite of that,
    /// but somebody who takes away the permission means the content.
    static func requireWritable(
      _ path: String, on fileSystem: any FileSystem
    ) throws(SuiteError) {
      try require(.write, of: path, "The file can't be written", fileSystem)
    }

    private static func require(
      _ access: Rights, of path: String, _ problem: String, _ fileSystem: any FileSystem
    ) throws(SuiteError) {
      try SuiteError.explaining(.unwritable, problem, path: path) { () throws(POSIXError) in
        try fileSystem.checkAccess(access, to: path)
      }
    }
  }
}
