import Foundation

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
  }

  /// Waits until it serves clients, and lets its further words go nowhere.
  package func awaitReady() throws {
    guard let shell else { return }
    var words: [String] = []
    while let line = try shell.output.next() {
      if line.contains("serving client traffic") {
        // Its pipe has to be read, or it waits for that. Of the reader this thread is the only owner.
        nonisolated(unsafe) let output = shell.output
        Thread.detachNewThread { while (try? output.nextOrSilence()) == true {} }
        return
      }
      words.append(line)
    }
    throw HarnessError("etcd ended: \(words.suffix(5).joined(separator: "\n"))")
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
  /// Reads a line, however long that takes; false at the end.
  fileprivate func nextOrSilence() throws -> Bool {
    do { return try next() != nil } catch { return true }
  }
}
