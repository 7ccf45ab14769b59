import Defaults
import Foundation
import TestSupport
import Testing

@testable import DefaultsCompression

@Suite("Compression codings")
struct CompressionCodingTests {
  private let coding = Defaults.Coding<Data>.compressed

  @Test("Compressed data of any length is read back, and repetitive data is stored shorter")
  func roundTrips() throws {
    var generator = SystemRandomNumberGenerator()
    for count in [0, 1, 2, 63, 64, 65, 1_000, 100_000, 1_000_000] {
      let zeros = Data(count: count)
      let noise = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      for data in [zeros, noise] {
        let stored = try #require(try coding.edit(for: data).entry)
        #expect(try coding.value(ofEntry: stored) == data)
        guard data == zeros, count > 1_000, case .data(let stream) = stored else { continue }
        #expect(stream.count < count / 100)
      }
    }
  }

  @Test("Compressed data is a standard zlib stream")
  func form() {
    // python3 -c 'import base64, zlib; print(base64.b64encode(zlib.compress(b"Defaults")))'
    let stream = Data(base64Encoded: "eJxzSU1LLM0pKQYADacDOQ==") ?? Data()
    expect(coding, reads: .data(stream), as: Data("Defaults".utf8))
  }

  /// Made by Python, of each kind of block that an encoder writes:
  ///
  ///     c = zlib.compressobj(level, zlib.DEFLATED, -15, strategy=strategy)
  ///     print(base64.b64encode(c.compress(data) + c.flush()))
  private static let rawStreams: [(base64: String, data: Data)] = [
    // Uncompressed, level 0.
    ("AQAA//8=", Data()),
    ("AQgA9/9EZWZhdWx0cw==", Data("Defaults".utf8)),
    // Fixed Huffman codes, level 6.
    ("AwA=", Data()),
    ("c0lNSyzNKSkGAA==", Data("Defaults".utf8)),
    ("q6gYBaNgFAx3AAA=", Data(repeating: UInt8(ascii: "x"), count: 1_000)),
    // Dynamic Huffman codes, level 9.
    (
      "FcnJFYAgDAXAVn4BNhUkiIKJhuBWvXqcN54Ze5/HgmB6CpJeWPq6NejBBv+60nMj6jT8Ehg3bwgsTJ5B"
        + "Aq0RSgVuzC8=",
      Data("the quick brown fox jumps over the lazy dog, then rests beneath an old oak tree".utf8)
    ),
  ]

  @Test("Raw DEFLATE, as Apple's frameworks write it, is read", arguments: rawStreams.indices)
  func rawDeflate(index: Int) throws {
    let (base64, data) = Self.rawStreams[index]
    let stream = try #require(Data(base64Encoded: base64))
    expect(coding, reads: .data(stream), as: data)
    // The written form is a zlib stream, whichever form was read.
    guard case .data(let written)? = try coding.edit(for: data).entry else { return }
    #expect(written.first == 0x78)
  }

  @Test("JSON that PrefsKit compressed with Apple's zlib in base 64 is read")
  func rawDeflateInChain() {
    struct Device: Codable, Equatable { var name = "", manufacturer = "" }
    let suite = Defaults.MemorySuite([
      // {"name":"HomePod","manufacturer":"Apple"}
      "device": "q1bKS8xNVbJS8sjPTQ3IT1HSUcpNzCtNS0wuKS1KLQJKOBYU5KQq1QIA"
    ])
    let key = Defaults.Key(
      "device", default: Device(), coding: .json.compressed.base64, suite: suite)
    #expect(suite[key] == Device(name: "HomePod", manufacturer: "Apple"))
  }

  @Test("Raw DEFLATE that is cut off, or has bytes after its end, is rejected")
  func damagedRawDeflate() throws {
    let reason = "the data is neither a zlib stream nor raw DEFLATE, or it is damaged"
    for (base64, _) in Self.rawStreams {
      let stream = try #require(Data(base64Encoded: base64))
      expect(coding, refuses: .data(stream + [0]), reason)
      for count in 0..<stream.count {
        expect(coding, refuses: .data(stream.prefix(count)), reason)
      }
    }
  }

  @Test("A zlib stream with a damaged first byte isn't read as raw DEFLATE")
  func damagedHeader() throws {
    for data in [Data(), Data("Defaults".utf8), Data(0...255), Data(count: 1_000)] {
      guard case .data(var stream)? = try coding.edit(for: data).entry else { continue }
      for byte in UInt8.min...UInt8.max {
        stream[0] = byte
        let copy = try? coding.value(ofEntry: .data(stream))
        #expect(copy == nil || copy == data, "first byte \(byte)")
      }
    }
  }

  @Test("Decompressing hostile raw DEFLATE takes limited memory and always ends")
  func hostileRawDeflate() throws {
    // 50 MB of zeros: the zlib form without its header and its checksum.
    guard case .data(let bomb)? = try coding.edit(for: Data(count: 50_000_000)).entry else {
      return
    }
    let raw = Data(bomb.dropFirst(2).dropLast(4))
    let small = Defaults.Coding(Defaults.CompressionBridge(limit: 1_000))
    expect(
      small, refuses: .data(raw),
      "the data has more than 1000 bytes, the limit of its coding")
    expect(coding, reads: .data(raw), as: Data(count: 50_000_000))
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...200, using: &generator)
      let noise = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      let data = try? coding.value(ofEntry: .data(noise))
      #expect((data?.count ?? 0) <= count * 1_032 + 64)
    }
  }

  @Test("Compression can be a step of a coding chain")
  func chains() throws {
    struct Page: Codable, Equatable { var lines = Array(repeating: "line", count: 1_000) }
    let coding: Defaults.Coding<Page> = .json.compressed.base64
    guard case .string(let text)? = try coding.edit(for: Page()).entry else {
      Issue.record("The form isn't text")
      return
    }
    #expect(text.count < 200)
    #expect(try coding.value(ofEntry: .string(text)) == Page())
    let key = Defaults.Key(
      "page", default: Page(lines: []), coding: .json.compressed(level: 9),
      suite: Defaults.MemorySuite())
    key.suite[key] = Page()
    #expect(key.suite[key] == Page())
    let other: Defaults.Coding<Page> = .json.compressed(level: 1).compressed
    #expect(try other.value(ofEntry: #require(try other.edit(for: Page()).entry)) == Page())
    let data: Defaults.Coding<Data> = .compressed.base64
    #expect(try data.value(ofEntry: #require(try data.edit(for: Data([1])).entry)) == Data([1]))
  }

  @Test("A damaged, truncated or extended zlib stream is rejected")
  func damage() throws {
    guard case .data(let stream)? = try coding.edit(for: Data(0...255)).entry else {
      Issue.record("The form isn't data")
      return
    }
    let reason = "the data is neither a zlib stream nor raw DEFLATE, or it is damaged"
    expect(coding, refuses: .data(Data()), reason)
    expect(coding, refuses: .data(stream + [0]), reason)
    for count in 0..<stream.count {
      expect(coding, refuses: .data(stream.prefix(count)), reason)
    }
    for index in stream.indices {
      var damaged = stream
      damaged[index] ^= 0x10
      // A header's level is only a hint; every other change must be detected.
      let copy = try? coding.value(ofEntry: .data(damaged))
      #expect(copy == nil || copy == Data(0...255), "byte \(index)")
    }
    expect(
      coding, refuses: "x",
      #"it is a string, and data was expected; in JSON, write {"$data": "AAEC"}, in base 64"#)
  }

  @Test("Data over the size limit is neither compressed nor decompressed")
  func limits() throws {
    let small = Defaults.Coding(Defaults.CompressionBridge(limit: 1_000))
    let reason = "the data has more than 1000 bytes, the limit of its coding"
    let stored = try #require(try coding.edit(for: Data(count: 1_001)).entry)
    expect(small, refuses: stored, reason)
    expect(small, refusesToWrite: Data(count: 1_001), reason)
    let bomb = try #require(try coding.edit(for: Data(count: 50_000_000)).entry)
    expect(small, refuses: bomb, reason)
    let most = try #require(try small.edit(for: Data(count: 1_000)).entry)
    #expect(try small.value(ofEntry: most) == Data(count: 1_000))
    let bridge = Defaults.CompressionBridge(limit: 5)
    #expect(bridge.deserialize(bridge.serialize(Data([1]))) == Data([1]))
    #expect(bridge.serialize(Data(count: 6)) == nil)
    #expect(bridge.deserialize(Data()) == nil)
    #expect(Defaults.CompressionBridge(level: 0).level == 1)
    #expect(Defaults.CompressionBridge(level: 99).level == 9)
  }

  @Test("Compression without zlib on the system throws an error with instructions")
  func noLibrary() {
    #expect(Zlib(names: ["libnowhere.so"]) == nil)
    let none = Defaults.Coding(Defaults.CompressionBridge(level: 6, limit: 10, zlib: nil))
    let reason = "zlib (libz.so.1) isn't available; install it to use this key"
    expect(none, refusesToWrite: Data([1]), reason)
    expect(none, refuses: .data(Data([1])), reason)
  }
}
