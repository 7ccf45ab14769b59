import Defaults
import Foundation
import Harness

/// The memory use of this process, by one of two counts.
enum MemoryUse: String {
  /// The allocated and not freed memory, exactly.
  case heap
  /// The pages that the kernel counts, including unrelated content in them.
  case resident

  init(_ name: String) throws {
    guard let use = MemoryUse(rawValue: name) else { throw HarnessError("No count \(name)") }
    self = use
  }

  /// The growth in bytes by opening and reading a suite.
  func growth(isForAll: Bool, of kind: String, _ place: String) throws -> Int {
    let names = isForAll ? try readNames(kind, place) : ["launchCount"]
    // Allocates what a process needs once, regardless of the size of its suites.
    _ = try Opening.ours.open(Scratch.configuration("small").path).holds("launchCount")
    _ = try Opening.foundation.open("small").holds("launchCount")
    let before = try bytesAtRest()
    let opened = try Opening(kind).open(place)
    for name in names where !opened.holds(name) {
      throw HarnessError("\(name) isn't there")
    }
    let after = try bytesAtRest()
    return withExtendedLifetime(opened) { after - before }
  }

  /// The bytes after background work has finished: when they haven't changed for a while.
  private func bytesAtRest() throws -> Int {
    var last = try bytes()
    for _ in 0..<20 {
      usleep(30_000)
      let now = try bytes()
      if now == last { break }
      last = now
    }
    return last
  }

  /// The names of all entries, read from a file before the measurement.
  private func readNames(_ kind: String, _ place: String) throws -> [String] {
    let url =
      kind == "ours" ? URL(filePath: place) : try Scratch.configuration(place)
    let list = try PropertyListSerialization.propertyList(
      from: try Data(contentsOf: url), format: nil)
    return (list as? [String: Any]).map { Array($0.keys) } ?? []
  }

  private func bytes() throws -> Int {
    #if canImport(Glibc)
      switch self {
      case .heap: return try Self.allocated()
      case .resident: return try Self.resident()
      }
    #else
      throw HarnessError("Memory is measured on Linux only")
    #endif
  }

  #if canImport(Glibc)
    private static func resident() throws -> Int {
      // Free pages don't count.
      ProcessMemory.trim()
      guard let extent = ProcessMemory.extent else {
        throw HarnessError("The system doesn't report the resident memory")
      }
      return extent.resident
    }

    /// The sums over all arenas at the end of `malloc_info`: the used memory from the system.
    private static func allocated() throws -> Int {
      typealias Info = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      guard let symbol = dlsym(nil, "malloc_info"),
        let stream = fmemopen(&buffer, buffer.count, "w")
      else { throw HarnessError("The system doesn't report the allocated memory") }
      _ = unsafeBitCast(symbol, to: Info.self)(0, stream)
      fclose(stream)
      let text = String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
      guard let totals = text.range(of: "</heap>", options: .backwards) else {
        throw HarnessError("The report of allocated memory can't be read")
      }
      func size(_ start: String) -> Int {
        guard let element = text[totals.upperBound...].range(of: "<" + start) else { return 0 }
        let rest = text[element.upperBound...]
        guard let attribute = rest.range(of: "size=\"") else { return 0 }
        return Int(rest[attribute.upperBound...].prefix { $0.isNumber }) ?? 0
      }
      return size("system type=\"current\"") + size("total type=\"mmap\"")
        - size("total type=\"fast\"") - size("total type=\"rest\"")
    }
  #endif
}
