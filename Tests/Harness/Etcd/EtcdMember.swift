import Foundation
import Synchronization

/// An etcd server of the harness's own, on loopback ports; killed with its object.
package final class EtcdMember {
  /// The programs, if Debian's `etcd-server` and `etcd-client` are installed.
  package static let server = SearchPath.program("etcd")
  package static let client = SearchPath.program("etcdctl")?.path

  /// Whether tests of a cluster can run here.
  package static let isInstalled = server != nil

  package let name: String
  /// Where clients find it.
  package let clientPort: Int
  let peerPort: Int
  /// Where the other members find it.
  let peerAddress: Int
  private let folder: URL
  private let cluster: String
  private let options: [String]
  private var shell: Child?
  private var id: pid_t = 0
  private var words = Words()

  /// What a server says until it serves.
  private final class Words: Sendable {
    private let isSettled = DispatchSemaphore(value: 0)
    /// nil when it serves.
    private let last = Mutex<[String]?>([])

    /// Reads what is said, up to the end: a pipe that isn't read is full at some time, and the
    /// server then waits for it, and the other members for the server.
    func read(_ output: LineReader) {
      while let line = output.nextOrSilence() {
        let isNews = last.withLock { last in
          if last == nil { return false }
          last = line.contains("serving client traffic") ? nil : (last ?? []).suffix(4) + [line]
          return last == nil
        }
        if isNews { isSettled.signal() }
      }
      isSettled.signal()
    }

    /// Waits until the server serves; throws what it said if it ended, or takes too long.
    func awaitReady() throws {
      let isInTime = isSettled.wait(timeout: .now() + LineReader.limit) == .success
      // For whoever asks again.
      if isInTime { isSettled.signal() }
      guard let last = last.withLock({ $0 }) else { return }
      let what = isInTime ? "ended" : "doesn't serve"
      throw HarnessError("etcd \(what): \(last.joined(separator: "\n"))")
    }
  }

  /// Starts a program, says its number, and kills it at the end of the standard input: also when the
  /// program that started this one is killed.
  private static let script = """
    "$0" "$@" 2>&1 & echo $!; cat >/dev/null; kill -9 $! 2>/dev/null; wait
    """

  /// `cluster` are the names and addresses of all members, for `--initial-cluster`.
  init(
    _ name: String, in folder: URL, clientPort: Int, peerPort: Int, peerAddress: Int,
    cluster: String, options: [String]
  ) {
    self.name = name
    self.folder = folder
    self.clientPort = clientPort
    self.peerPort = peerPort
    self.peerAddress = peerAddress
    self.cluster = cluster
    self.options = options
  }

  deinit { kill() }

  package var url: URL { Self.url(clientPort) }

  package static func url(_ port: Int) -> URL {
    // A constant text with a number in it.
    URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/")
  }

  /// Starts it, with what it had stored; `awaitReady` waits until it serves.
  package func start() throws {
    guard let server = Self.server else { throw HarnessError("etcd isn't installed") }
    let arguments =
      [
        server.path, "--name", name, "--data-dir", folder.appending(path: name).path,
        "--listen-client-urls", "http://127.0.0.1:\(clientPort)",
        "--advertise-client-urls", "http://127.0.0.1:\(clientPort)",
        "--listen-peer-urls", "http://127.0.0.1:\(peerPort)",
        "--initial-advertise-peer-urls", "http://127.0.0.1:\(peerAddress)",
        "--initial-cluster", cluster, "--logger", "zap", "--log-level", "info",
        "--log-outputs", "stdout",
      ] + options
    let shell = try Child(["-c", Self.script] + arguments, executable: "/bin/sh")
    self.shell = shell
    guard let line = try shell.output.next(), let id = pid_t(line) else {
      throw HarnessError("The shell doesn't say etcd's number")
    }
    self.id = id
    let words = Words()
    self.words = words
    // The thread is the only one that uses the reader from now on.
    nonisolated(unsafe) let output = shell.output
    Thread.detachNewThread { words.read(output) }
  }

  /// Waits until it serves clients.
  package func awaitReady() throws {
    if shell != nil { try words.awaitReady() }
  }

  package func kill() {
    guard let shell else { return }
    // The shell has its end waited for, so the number is nobody else's.
    Foundation.kill(id, SIGKILL)
    shell.closeInput()
    shell.wait()
    self.shell = nil
  }

  /// Removes what it has stored; it isn't running.
  package func forgetAll() throws {
    try FileManager.default.removeItem(at: folder.appending(path: name))
  }

  /// Stops it, until `resume`.
  package func pause() {
    if shell != nil { Foundation.kill(id, SIGSTOP) }
  }

  package func resume() {
    if shell != nil { Foundation.kill(id, SIGCONT) }
  }
}

extension LineReader {
  /// The next line, however long that takes; nil at the end.
  fileprivate func nextOrSilence() -> String? {
    while true {
      do { return try next() } catch { continue }
    }
  }
}
