import Foundation
import Synchronization

/// An etcd server for tests, on loopback ports. It is killed when the object is released.
package final class EtcdMember {
  /// The programs of Debian's `etcd-server` and `etcd-client`, if they are installed.
  package static let server = SearchPath.program("etcd")
  package static let client = SearchPath.program("etcdctl")?.path

  /// Whether tests of a cluster can run on this machine.
  package static let isInstalled = server != nil

  package let name: String
  /// The port for clients.
  package let clientPort: Int
  let peerPort: Int
  /// The port at which the other members reach it.
  let peerAddress: Int
  private let folder: URL
  private let cluster: String
  private let options: [String]
  private var shell: Child?
  private var id: pid_t = 0
  private var words = Words()

  /// The output of a server until it serves.
  private final class Words: Sendable {
    private let isSettled = DispatchSemaphore(value: 0)
    /// nil when it serves.
    private let last = Mutex<[String]?>([])

    /// Reads the output to its end. A full pipe would block the server, and so the other members.
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

    /// Waits until the server serves. Throws its output if it ended or takes too long.
    func awaitReady() throws {
      let isInTime = isSettled.wait(timeout: .now() + LineReader.limit) == .success
      // Let later callers pass, too.
      if isInTime { isSettled.signal() }
      guard let last = last.withLock({ $0 }) else { return }
      let what = isInTime ? "ended" : "doesn't serve"
      throw HarnessError("etcd \(what): \(last.joined(separator: "\n"))")
    }
  }

  /// Starts a program, prints its process ID, and kills it at the end of standard input, even if
  /// the parent is killed. Without a line of input, it then removes the data, which may be in
  /// memory. It closes the output, whose end shows that the program has ended. The shell's `wait`
  /// would hang here: a child inherits that SIGCHLD is blocked. On Linux, the process ID only
  /// counts while it is a child of the shell, since another process or thread may get it later.
  private static let script = """
    runs() {
      if [ -d /proc/self ]; then grep -qx "PPid:.$$" /proc/$id/status; else kill -0 $id; fi
    } 2>/dev/null
    "$@" 2>&1 & id=$!; echo $id; exec > /dev/null; word=$(cat); runs && kill -9 $id
    while runs; do sleep 0.02; done
    [ "$word" ] || { rm -rf "$0"; rmdir "${0%/*}" 2>/dev/null; }
    """

  /// `cluster` is the value of `--initial-cluster`: the names and addresses of all members.
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
    // The text is a valid URL for every number.
    URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/")
  }

  /// Starts the server with its stored data. `awaitReady` waits until it serves.
  package func start() throws {
    guard let server = Self.server else { throw HarnessError("etcd isn't installed") }
    let data = folder.appending(path: name)
    let arguments =
      [
        data.path, server.path, "--name", name, "--data-dir", data.path,
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
      throw HarnessError("The shell didn't print etcd's process ID")
    }
    self.id = id
    let words = Words()
    self.words = words
    // From now on, only the thread uses the reader.
    nonisolated(unsafe) let output = shell.output
    Thread.detachNewThread { words.read(output) }
  }

  /// Waits until the server serves clients.
  package func awaitReady() throws {
    if shell != nil { try words.awaitReady() }
  }

  package func kill() {
    guard let shell else { return }
    // The shell waits for the server's end, so the process ID can't be reused yet.
    Foundation.kill(id, SIGKILL)
    shell.send("keep\n")
    shell.closeInput()
    shell.wait()
    self.shell = nil
  }

  /// Removes the stored data of a server that isn't running.
  package func forgetAll() throws {
    try FileManager.default.removeItem(at: folder.appending(path: name))
  }

  /// Stops the server until `resume`.
  package func pause() {
    if shell != nil { Foundation.kill(id, SIGSTOP) }
  }

  package func resume() {
    if shell != nil { Foundation.kill(id, SIGCONT) }
  }
}

extension LineReader {
  /// The next line, without a timeout; nil at the end.
  fileprivate func nextOrSilence() -> String? {
    while true {
      do { return try next() } catch { continue }
    }
  }
}
