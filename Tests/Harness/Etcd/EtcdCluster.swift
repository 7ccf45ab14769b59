import Foundation

/// A cluster of etcd servers, with proxies in front of them.
package final class EtcdCluster {
  package let members: [EtcdMember]
  /// The proxies in front of the client ports.
  package let proxies: [TroubledProxy]
  /// The proxies in front of the peer ports, if there are several members.
  package let peerProxies: [TroubledProxy]
  private let folder: URL
  private let permit: (any Sendable)?

  /// Starts a cluster, and waits until it serves. It holds the permit until it is released.
  package init(
    members count: Int = 1, options: [String] = [], permit: (any Sendable)? = nil
  ) throws {
    self.permit = permit
    let memory = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isWritable = access(memory.path, W_OK) == 0
    // Otherwise a slow disk would affect the tests.
    folder = (isWritable ? memory : FileManager.default.temporaryDirectory)
      .appending(path: "DefaultsEtcd-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let ports = try LoopbackPort.free(2 * count)
    peerProxies = try count == 1 ? [] : (0..<count).map { try TroubledProxy(to: ports[2 * $0 + 1]) }
    let addresses = (0..<count).map { count == 1 ? ports[2 * $0 + 1] : 0 }
    let peers = peerProxies.isEmpty ? addresses : peerProxies.map(\.port)
    let names = (0..<count).map { "m\($0)" }
    let cluster = zip(names, peers).map { "\($0)=http://127.0.0.1:\($1)" }.joined(separator: ",")
    members = (0..<count).map { [folder] number in
      EtcdMember(
        names[number], in: folder, clientPort: ports[2 * number], peerPort: ports[2 * number + 1],
        peerAddress: peers[number], cluster: cluster, options: options)
    }
    proxies = try members.map { try TroubledProxy(to: $0.clientPort) }
    for member in members { try member.start() }
    for member in members { try member.awaitReady() }
  }

  deinit {
    for proxy in proxies + peerProxies { proxy.close() }
    for member in members { member.kill() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The members' own addresses.
  package var endpoints: [URL] { members.map(\.url) }

  /// The addresses of the proxies in front of the members.
  package var troubledEndpoints: [URL] { proxies.map { EtcdMember.url($0.port) } }

  /// The output of `etcdctl`, run against the first or another member.
  @discardableResult
  package func etcdctl(_ arguments: String..., member: Int = 0) throws -> String {
    try etcdctl(arguments, member: member)
  }

  @discardableResult
  package func etcdctl(_ arguments: [String], member: Int = 0) throws -> String {
    try Self.etcdctl(arguments, at: members[member].url)
  }

  /// The output of `etcdctl`, run against the member with this URL.
  package static func etcdctl(_ arguments: [String], at url: URL) throws -> String {
    guard let client = EtcdMember.client else { throw HarnessError("etcdctl isn't installed") }
    let child = try Child(
      ["--endpoints", url.absoluteString] + arguments, executable: client,
      environment: ["ETCDCTL_API": "3"])
    child.closeInput()
    let lines = try child.output.rest()
    guard child.wait() == .exited(0) else {
      throw HarnessError("etcdctl \(arguments) failed: \(lines)")
    }
    return lines.joined(separator: "\n")
  }

  /// The index of the leader; nil if no member reports one.
  package func leader() throws -> Int? {
    for number in members.indices {
      guard
        let text = try? etcdctl(
          ["endpoint", "status", "--command-timeout=2s", "-w", "fields"], member: number)
      else { continue }
      let fields = Dictionary(
        text.split(separator: "\n").compactMap { line -> (String, String)? in
          let parts = line.split(separator: ":", maxSplits: 1)
          guard parts.count == 2 else { return nil }
          return (
            parts[0].trimmingCharacters(in: CharacterSet(charactersIn: "\" ")),
            parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
          )
        }, uniquingKeysWith: { first, _ in first })
      if let id = fields["MemberID"], id == fields["Leader"] { return number }
    }
    return nil
  }
}
