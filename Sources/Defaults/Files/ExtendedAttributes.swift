import Foundation

#if canImport(Glibc) || canImport(Musl)
  /// The system calls for extended attributes, which the Glibc module lacks. If the program can't
  /// be linked to them, files have no attributes, and setting one throws EOPNOTSUPP.
  enum ExtendedAttributes {
    /// Returns the names of the attributes of a file, following links.
    static func names(of path: String) throws(Errno) -> [String] {
      guard let list else { return [] }
      let bytes = try value { list(path, $0.baseAddress, $0.count) }
      return (bytes ?? []).split(separator: 0).compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the value of an attribute of a file, following links; nil if there is none.
    static func value(_ name: String, of path: String) throws(Errno) -> [UInt8]? {
      guard let get else { return nil }
      return try value { get(path, name, $0.baseAddress, $0.count) }
    }

    /// Sets or removes an attribute of an open file.
    static func set(_ name: String, to value: [UInt8]?, of number: CInt) throws(Errno) {
      guard let set, let remove else { throw Errno(.EOPNOTSUPP) }
      try SystemCall.make {
        guard let value else { return remove(number, name) }
        return value.withUnsafeBytes { set(number, name, $0.baseAddress, $0.count, 0) }
      }
    }

    /// Makes a call that fills a buffer. Returns nil if there is no attribute.
    private static func value(
      _ call: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(Errno) -> [UInt8]? {
      // No list of names and no value is larger than 64 KiB (`XATTR_SIZE_MAX`).
      try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
        Result { () throws(Errno) in
          var hasValue = true
          let count = try SystemCall.make {
            let count = call(buffer)
            hasValue = count >= 0 || ![ENODATA, EOPNOTSUPP, ENOSYS].contains(errno)
            return hasValue ? count : 0
          }
          return hasValue ? Array(buffer.prefix(count)) : nil
        }
      }.get()
    }

    private typealias List =
      @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
    private typealias Get =
      @convention(c) (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
      ) -> Int
    private typealias Set =
      @convention(c) (CInt, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt
    private typealias Remove = @convention(c) (CInt, UnsafePointer<CChar>) -> CInt

    private static let list = dlsym(nil, "listxattr").map { unsafeBitCast($0, to: List.self) }
    private static let get = dlsym(nil, "getxattr").map { unsafeBitCast($0, to: Get.self) }
    private static let set = dlsym(nil, "fsetxattr").map { unsafeBitCast($0, to: Set.self) }
    private static let remove = dlsym(nil, "fremovexattr").map {
      unsafeBitCast($0, to: Remove.self)
    }
  }
#endif
