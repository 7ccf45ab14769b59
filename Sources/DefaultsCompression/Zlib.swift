import Foundation

/// The system's zlib, loaded when it is first used.
///
/// It is looked up at run time instead of being linked, so that this package builds where zlib's
/// headers aren't installed. The library itself is nearly everywhere; where it isn't, compressing
/// fails with a sentence.
struct Zlib: Sendable {
  typealias Length = CUnsignedLong
  private typealias Compress =
    @Sendable @convention(c) (
      UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Length>, UnsafePointer<UInt8>?, Length,
      CInt
    ) -> CInt
  private typealias Uncompress =
    @Sendable @convention(c) (
      UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Length>, UnsafePointer<UInt8>?,
      UnsafeMutablePointer<Length>
    ) -> CInt
  private typealias CompressBound = @Sendable @convention(c) (Length) -> Length

  private let compress2: Compress
  private let uncompress2: Uncompress
  private let compressBound: CompressBound

  /// Nil where there is no zlib of version 1.2.9 or later.
  static let shared = Self()

  /// Nil where there is no library of these names, the first of which that loads is taken.
  init?(names: [String] = ["libz.so.1", "libz.so", "libz.1.dylib", "/usr/lib/libz.1.dylib"]) {
    // Never closed: the functions are used until the process ends.
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
      let compress = dlsym(library, "compress2"),
      let uncompress = dlsym(library, "uncompress2"),
      let bound = dlsym(library, "compressBound")
    else { return nil }
    // The types are those of zlib.h, where they have been the same since 2004, 2016 and 2003.
    compress2 = unsafeBitCast(compress, to: Compress.self)
    uncompress2 = unsafeBitCast(uncompress, to: Uncompress.self)
    compressBound = unsafeBitCast(bound, to: CompressBound.self)
  }

  /// A stream in the format of RFC 1950; nil if there isn't enough memory.
  func compress(_ data: Data, level: Int) -> Data? {
    var length = compressBound(Length(data.count))
    var result = Data(count: Int(length))
    let status = result.withUnsafeMutableBytes { output in
      data.withUnsafeBytes { input in
        compress2(
          output.bindMemory(to: UInt8.self).baseAddress, &length,
          input.bindMemory(to: UInt8.self).baseAddress, Length(input.count), CInt(level))
      }
    }
    guard status == 0 else { return nil }
    result.count = Int(length)
    return result
  }

  enum Decompressed {
    case data(Data)
    case tooLong
    case damaged
  }

  /// The data of exactly one stream, if it has `limit` bytes at most.
  func decompress(_ stream: Data, limit: Int) -> Decompressed {
    let bufferError: CInt = -5
    // Nothing gets more than 1,032 times longer, so a bomb costs no more memory than its length
    // allows. How long it gets isn't known before: the room grows until it suffices.
    let bound = min(limit, stream.count * 1_032 + 64)
    var room = min(bound, stream.count * 4 + 64)
    while true {
      // One byte more, so that there is somewhere to write to, and an excess is noticed.
      var result = Data(count: room + 1)
      var length = Length(result.count)
      var consumed = Length(stream.count)
      let status = result.withUnsafeMutableBytes { output in
        stream.withUnsafeBytes { input in
          uncompress2(
            output.bindMemory(to: UInt8.self).baseAddress, &length,
            input.bindMemory(to: UInt8.self).baseAddress, &consumed)
        }
      }
      if status == 0 {
        guard consumed == stream.count else { return .damaged }
        result.count = Int(length)
        return result.count <= limit ? .data(result) : .tooLong
      }
      guard status == bufferError else { return .damaged }
      guard room < bound else { return .tooLong }
      room = min(bound, room * 4)
    }
  }
}
