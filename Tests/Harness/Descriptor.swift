import Foundation

/// A file descriptor, closed when the object is released.
package final class Descriptor: Sendable {
  package let number: CInt

  /// Locked while a pipe is created or a child is started. A child started in between would inherit
  /// the pipe's ends and keep them open.
  package static let inheritance = NSLock()

  package init(_ number: CInt) { self.number = number }

  deinit { close(number) }

  /// Creates a pipe that children don't inherit.
  package static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
    inheritance.lock()
    defer { inheritance.unlock() }
    var ends: [CInt] = [-1, -1]
    let result = Foundation.pipe(&ends)
    guard result == 0 else { throw HarnessError("No pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
  }

  /// Writes with one call, so that a short text arrives completely or not at all; false if it can't
  /// be written.
  @discardableResult
  package func write(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  @discardableResult
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    while true {
      let count = Foundation.write(number, bytes.baseAddress, bytes.count)
      if count < 0, errno == EINTR { continue }
      return count == bytes.count
    }
  }

  /// Waits for data and reads it; empty at the end.
  package func read() -> [UInt8] {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { bytes in
      while true {
        let count = Foundation.read(number, bytes.baseAddress, bytes.count)
        if count < 0, errno == EINTR { continue }
        return Array(bytes[..<max(0, count)])
      }
    }
  }

  /// Waits for data and reads it; nil after a timeout, 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer, within seconds: Double) -> Int? {
    var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    let limit = MonotonicTime.now + Int(seconds * 1e9)
    while true {
      let rest = limit - MonotonicTime.now
      guard rest > 0 else { return nil }
      guard poll(&wanted, 1, CInt(rest / 1_000_000 + 1)) > 0 else { continue }
      let count = Foundation.read(number, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { return 0 }
    }
  }
}
