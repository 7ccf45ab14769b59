import Defaults
import Foundation
import FuzzInputs

/// The function that libFuzzer calls. The first byte selects how the rest is read.
///
///     DEFAULTS_FUZZ=1 swift build -c release --product Fuzz
///     DEFAULTS_FUZZ_SEEDS=FOLDER .build/release/Fuzz -runs=0
///     ASAN_OPTIONS=detect_leaks=0 .build/release/Fuzz -max_total_time=60 -timeout=5 FOLDER
///
/// The leak checker is off because it reports constants of the seeds whose pointers it doesn't see.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let part = bytes.first else { return 0 }
  bytes.removeFirst()
  switch part % 6 {
  case 0: HostileInput(.binary, Array("bplist00".utf8) + bytes).read()
  case 1: HostileInput(.xml, Array("<plist>".utf8) + bytes).read()
  case 2: HostileInput(.journal, bytes).read()
  case 3:
    // Repair the header and the checksums, so that the decoder reads the content.
    bytes = JournalImage(id: 7).bytes + bytes
    JournalImage.mend(&bytes)
    HostileInput(.journal, bytes).read()
  case 4:
    // A value for all bridges, in its form in a journal.
    var image = JournalImage(id: 7)
    image.append(value: bytes, named: "value")
    HostileInput(.journal, image.bytes).read()
  default:
    // Text and data: archives, JSON, URLs, numbers in words.
    BridgeReading.read(.data(Data(bytes)))
    BridgeReading.read(.string(String(decoding: bytes, as: UTF8.self)))
  }
  return 0
}

/// Writes seeds into the folder that the environment variable names, where libFuzzer reads them.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
  guard let folder = ProcessInfo.processInfo.environment["DEFAULTS_FUZZ_SEEDS"] else { return 0 }
  for (index, seed) in corpus().enumerated() {
    try? Data(seed).write(to: URL(filePath: folder).appending(path: "seed \(index)"))
  }
  return 0
}

private func corpus() -> [[UInt8]] {
  let inputs = MutationSeeds().small
  var corpus: [[UInt8]] = []
  for input in inputs where input.bytes.count < 10_000 {
    switch input.kind {
    case .binary: corpus.append([0] + input.bytes.dropFirst(8))
    case .xml: corpus.append([1] + input.bytes)
    case .journal:
      corpus.append([2] + input.bytes)
      corpus.append([3] + input.bytes.dropFirst(JournalImage.headerSize))
    }
  }
  for value in BridgeReading.samples.values {
    corpus.append([4] + JournalImage.bytes(of: value))
    switch value {
    case .data(let data): corpus.append([5] + data)
    case .string(let text): corpus.append([5] + text.utf8)
    default: break
    }
  }
  return corpus
}
