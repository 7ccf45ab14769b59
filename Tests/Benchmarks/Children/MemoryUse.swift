import Defaults
import Foundation
import Harness

/// How much memory this process takes, by one of two counts.
enum MemoryUse: String {
  /// What was allocated and not freed: exact.
  case heap
  /// The pages that the kernel counts, also those with other things on them.
  case resident

  init(_ name: String) throws {
    guard let use = MemoryUse(rawValue: name) else { throw HarnessError("No count \(name)") }
    self = use
  }

  /// How many bytes more there are when a suite has been opened and read.
  func growth(isForAll: Bool, of kind: String, _ place: String) throws -> Int {
    let names = isForAll ? try readNames(kind, place) : ["launchCount"]
    // What a process has once, however large its suites are.
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

  /// When nothing has changed for a while: there may be work in the background after an opening.
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

  /// The names of all entries: those of a file, before anything is measured.
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
        throw HarnessError("The system doesn't tell the resident memory")
      }
      return extent.resident
    }

    /// The sums over all arenas that `malloc_info` ends with: what came from the system, without
    /// what is free.
    private static func allocated() throws -> Int {
      typealias Info = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      guard let symbol = dlsym(nil, "malloc_info"),
        let stream = fmemopen(&buffer, buffer.count, "w")
      else { throw HarnessError("The system doesn't tell what is allocated") }
      _ = unsafeBitCast(symbol, to: Info.self)(0, stream)
      fclose(stream)
      let text = String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
      guard let totals = text.range(of: "</heap>", options: .backwards) else {
        throw HarnessError("What is allocated can't be read")
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
