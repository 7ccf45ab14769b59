extension Defaults {
  /// The rules for the name of one file or folder; they are about bytes, as the file system's are.
  enum FileName {
    /// The longest name that the common file systems take, in bytes.
    static let byteLimit = 255

    /// Why a string can't name a file, in a clause; nil if it can.
    static func problem(with name: String) -> String? {
      if name.isEmpty { return "is empty" }
      if name == "." || name == ".." { return "means a folder" }
      // Not by characters: a slash with a combining mark is another character, but the same byte.
      if name.utf8.contains(UInt8(ascii: "/")) { return "has a slash" }
      if name.utf8.contains(0) { return "has a NUL" }
      if name.utf8.count > byteLimit { return "has more than \(byteLimit) bytes" }
      return nil
    }

    /// The name followed by a suffix. If both don't fit, the end of the name is cut off, and a
    /// checksum of all of it keeps names apart that start alike.
    static func joining(_ name: String, _ suffix: String, limit: Int = byteLimit) -> String {
      guard name.utf8.count + suffix.utf8.count > limit else { return name + suffix }
      let mark = "~" + String(Array(name.utf8).withUnsafeBytes { Checksum.of($0) }, radix: 36)
      var kept = name[...]
      while kept.utf8.count > limit - suffix.utf8.count - mark.utf8.count, !kept.isEmpty {
        kept.unicodeScalars.removeLast()
      }
      return kept + mark + suffix
    }
  }
}
