#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program's standard error, for a line that the program can do without.
///
/// Foundation's `FileHandle` ends the program where that is closed, full, or a pipe that nobody
/// reads.
enum StandardError {
  /// How long a pipe or terminal that takes nothing is waited for, in milliseconds.
  private static let patience: CInt = 1_000

  /// Writes a line in one call, or none where that can't be done: no descriptor, a broken pipe, a
  /// full disk, nobody who reads. Raises no signal, and never waits longer than a second.
  ///
  /// A file that the program opened under the number of a standard error that was closed can't be
  /// told from one.
  static func write(line: String) {
    var target = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    while poll(&target, 1, patience) < 0, errno == EINTR {}
    // A regular file is always ready; what isn't, after a second, would hold up the program.
    guard target.revents != 0, target.revents & Int16(POLLNVAL) == 0 else { return }
    var text = line + "\n"
    text.withUTF8 { bytes in
      // SIGPIPE where nobody reads anymore, SIGXFSZ where it is a file that has got too large.
      HeldSignals.hold(SIGPIPE, SIGXFSZ) {
        while systemWrite(STDERR_FILENO, bytes.baseAddress, bytes.count) < 0, errno == EINTR {}
      }
    }
  }
}

/// `write(2)`, which inside of the type above would be its own method.
private func systemWrite(_ number: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(number, bytes, count)
}
