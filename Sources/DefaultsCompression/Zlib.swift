import Foundation

/// The system's zlib, loaded on first use.
///
/// It is looked up at run time instead of being linked, so that this package builds without zlib's
/// headers. Nearly every system has the library. Without it, compression throws an error.
struct Zlib: Sendable {
  typealias Length = CUnsignedLong
  private typealias Compress =
    @Sendable @convention(c) (
      UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Length>, UnsafePointer<UInt8>?, Length,
      CInt
    ) -> CInt
  // A C function can't have a parameter of a Swift type, so the stream is a raw pointer.
  private typealias InflateInit2 =
    @Sendable @convention(c) (
      UnsafeMutableRawPointer, CInt, UnsafePointer<CChar>, CInt
    ) -> CInt
  private typealias Inflate =
    @Sendable @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
  private typealias InflateEnd = @Sendable @convention(c) (UnsafeMutableRawPointer) -> CInt
  private typealias CompressBound = @Sendable @convention(c) (Length) -> Length

  private let compress2: Compress
  private let inflateInit2: InflateInit2
  private let inflate: Inflate
  private let inflateEnd: InflateEnd
  private let compressBound: CompressBound

  /// nil if zlib isn't available.
  static let shared = Self()

  /// Loads the first available library of these names; nil if there is none.
  init?(names: [String] = ["libz.so.1", "libz.so", "libz.1.dylib", "/usr/lib/libz.1.dylib"]) {
    // Never closed, since the functions are used until the process ends.
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
      let compress = dlsym(library, "compress2"),
      let inflateInit2 = dlsym(library, "inflateInit2_"),
      let inflate = dlsym(library, "inflate"),
      let inflateEnd = dlsym(library, "inflateEnd"),
      let bound = dlsym(library, "compressBound")
    else { return nil }
    // The function types of zlib.h, which haven't changed since 2004.
    compress2 = unsafeBitCast(compress, to: Compress.self)
    self.inflateInit2 = unsafeBitCast(inflateInit2, to: InflateInit2.self)
    self.inflate = unsafeBitCast(inflate, to: Inflate.self)
    self.inflateEnd = unsafeBitCast(inflateEnd, to: InflateEnd.self)
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
}

// MARK: - Decompressing

extension Zlib {
  /// The format around the compressed bytes.
  enum Wrapping {
    case zlib
    /// Raw DEFLATE, RFC 1951. Apple's frameworks write it under the name `.zlib`.
    case none

    /// The wrapping, determined by the first byte.
    ///
    /// The lower four bits of a zlib header's first byte are 8. A raw stream with these bits would
    /// begin with an uncompressed block and a nonzero padding bit, which no encoder writes.
    init(of stream: Data) {
      self = stream.first.map { $0 & 0x0f == 8 } ?? true ? .zlib : .none
    }

    /// The parameter of `inflateInit2`: a window of 32 KiB, negative for raw DEFLATE.
    fileprivate var windowBits: CInt {
      switch self {
      case .zlib: 15
      case .none: -15
      }
    }
  }

  enum Decompressed {
    case data(Data)
    case tooLong
    case damaged
  }

  /// `z_stream` of zlib.h. `inflateInit2_` compares its size with the library's own.
  fileprivate struct Stream {
    var nextIn: UnsafePointer<UInt8>?
    var availableIn: CUnsignedInt = 0
    var totalIn: CUnsignedLong = 0
    var nextOut: UnsafeMutablePointer<UInt8>?
    var availableOut: CUnsignedInt = 0
    var totalOut: CUnsignedLong = 0
    var message: UnsafePointer<CChar>?
    var state: OpaquePointer?
    // Null pointers select the library's own allocator.
    var allocate: OpaquePointer?
    var release: OpaquePointer?
    var allocatorState: OpaquePointer?
    var dataType: CInt = 0
    var checksum: CUnsignedLong = 0
    var reserved: CUnsignedLong = 0
  }

  /// The data of exactly one stream, if it has at most `limit` bytes.
  func decompress(_ stream: Data, limit: Int) -> Decompressed {
    // DEFLATE expands data at most 1,032 times, so a malicious stream costs no more memory than its
    // length permits. The result's length is unknown, so the buffer grows as needed.
    let bound = min(limit, stream.count * 1_032 + 64)
    var state = Stream()
    // One address for all calls: zlib rejects a structure that has moved.
    return withUnsafeMutablePointer(to: &state) { state in
      let size = CInt(MemoryLayout<Stream>.stride)
      // zlib compares only the first digit of the version, which stands for the structure's layout.
      guard inflateInit2(state, Wrapping(of: stream).windowBits, "1", size) == 0 else {
        return .damaged
      }
      defer { _ = inflateEnd(state) }
      return stream.withUnsafeBytes { input in
        state.pointee.nextIn = input.bindMemory(to: UInt8.self).baseAddress
        return output(of: state, inputCount: stream.count, bound: bound)
      }
    }
  }

  private func output(
    of state: UnsafeMutablePointer<Stream>, inputCount: Int, bound: Int
  ) -> Decompressed {
    let (done, streamEnd, noProgress): (CInt, CInt, CInt) = (0, 1, -5)
    var result = Data()
    var (remaining, produced) = (inputCount, 0)
    while true {
      // One byte more than the limit: there is always space to write to, and an excess is detected.
      let room = min(bound, max(produced, inputCount) * 4 + 64) + 1
      if result.count < room { result.count = room }
      let input = CUnsignedInt(clamping: remaining)
      let output = CUnsignedInt(clamping: result.count - produced)
      (state.pointee.availableIn, state.pointee.availableOut) = (input, output)
      let status = result.withUnsafeMutableBytes { bytes in
        state.pointee.nextOut = bytes.bindMemory(to: UInt8.self).baseAddress.map { $0 + produced }
        return inflate(state, 0)
      }
      remaining -= Int(input - state.pointee.availableIn)
      produced += Int(output - state.pointee.availableOut)
      if produced > bound { return .tooLong }
      switch status {
      case streamEnd:
        guard remaining == 0 else { return .damaged }
        result.count = produced
        return .data(result)
      case done, noProgress:
        // The output is full, or the input exceeds one call. Otherwise the input ended early.
        guard state.pointee.availableOut == 0 || (remaining > 0 && status == done) else {
          return .damaged
        }
      default:
        return .damaged
      }
    }
  }
}
