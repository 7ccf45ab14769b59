import Foundation
import Harness

/// Causes failures of the members of a cluster, one after the other, and ends them again.
final class FleetNemesis {
  enum Deed: String, CaseIterable {
    case kill = "killed"
    case pause = "stopped"
    case drop = "cut off silently"
    case cut = "cut off"
    case delay = "slow"
    case isolate = "apart from the others"
  }

  private let cluster: EtcdCluster
  private var random: SeededGenerator
  private(set) var rounds = 0
  private(set) var done: [Deed: Int] = [:]

  init(_ cluster: EtcdCluster, seed: UInt64) {
    self.cluster = cluster
    random = SeededGenerator(seed: seed, lane: 9_000)
  }

  /// One round: a short failure of a member, often of the leader.
  func act() throws {
    let deed = Deed.allCases.randomElement(using: &random) ?? .kill
    let any = Int.random(in: cluster.members.indices, using: &random)
    let number = random.happens(percent: 50) ? try cluster.leader() ?? any : any
    let member = cluster.members[number]
    let proxy = cluster.proxies[number]
    let peers = cluster.peerProxies[number]
    switch deed {
    case .kill: member.kill()
    case .pause: member.pause()
    case .drop: proxy.mode = .dropping
    case .cut: proxy.mode = .cutting
    case .delay: proxy.mode = .delaying(Int.random(in: 20...200, using: &random))
    case .isolate: (proxy.mode, peers.mode) = (.dropping, .dropping)
    }
    usleep(UInt32.random(in: 200_000...1_200_000, using: &random))
    if deed == .kill {
      try member.start()
      try member.awaitReady()
    }
    member.resume()
    if deed == .drop || deed == .isolate {
      // Connections with dropped data can't continue.
      proxy.mode = .cutting
      peers.mode = .cutting
    }
    proxy.mode = .passing
    peers.mode = .passing
    rounds += 1
    done[deed, default: 0] += 1
    // Without calm periods, no process makes progress.
    usleep(UInt32.random(in: 300_000...1_500_000, using: &random))
  }
}
