import Defaults
import Foundation

extension Defaults.EtcdSuite {
  /// Who a program is to a cluster with authentication.
  public struct User: Sendable, Hashable, CustomStringConvertible {
    /// The user's name.
    public var name: String
    /// The password, sent to the cluster alone.
    public var password: String

    /// A user of the cluster.
    public init(name: String, password: String) {
      self.name = name
      self.password = password
    }

    /// The name.
    @_documentation(visibility: internal)
    public var description: String { name }
  }

  /// Certificates, for endpoints with `https`.
  ///
  /// On Apple platforms those of the system's keychain count, and these don't.
  public struct TLS: Sendable, Hashable {
    /// The certificates of those who vouch for the members, in a file in PEM form; nil for the
    /// system's.
    public var certificateAuthority: URL?
    /// The program's own certificate, in PEM form, where the members want one.
    public var certificate: URL?
    /// The private key of that, in PEM form.
    public var key: URL?

    /// Trusts whom the system trusts, unless a file is named.
    public init(certificateAuthority: URL? = nil, certificate: URL? = nil, key: URL? = nil) {
      self.certificateAuthority = certificateAuthority
      self.certificate = certificate
      self.key = key
    }
  }

  /// What a suite does differently.
  public struct Options: OptionSet, Sendable, Hashable {
    /// The bits.
    @_documentation(visibility: internal)
    public let rawValue: Int

    /// Options of these bits.
    @_documentation(visibility: internal)
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A set that can't be made because the cluster doesn't answer is stored in the cache, counts here
    /// at once, and is made in the cluster when that answers, also by a later start of the program.
    ///
    /// If another program has changed the setting meanwhile, its value stays, and an issue, `tooManyConflicts`,
    /// names the setting. A change of this program whose answer was lost is no conflict.
    /// `update`, `increment` and `transaction` are never queued. Needs a cache, which is written
    /// before each change that is sent.
    public static let queueing = Self(rawValue: 1)

    /// Values stay for as long as the program runs: those of the cache, or where there was none, of
    /// the first listing. What the cluster changes is in ``EtcdSuite/upcoming``, and counts with the
    /// next start; what is set here, too.
    public static let stableUntilRestart = Self(rawValue: 2)
  }

  /// How long things may take.
  ///
  /// The defaults are for a cluster in the same network.
  public struct Timing: Sendable, Hashable {
    /// How long a member may take to answer a request before another one is asked.
    public var requestTimeout: Duration = .seconds(2)
    /// How often it is checked whether the watch still reports every change. A member that is stopped,
    /// or behind a broken network, is given up after this time and that of a request. A watch that is
    /// broken by itself is noticed at the first check after a change, or, where keys outside of the
    /// prefix change all the time, after twelve checks at most.
    public var heartbeatInterval: Duration = .seconds(5)
    /// How long `update`, `increment` and `transaction` try, a member's failure and conflicts
    /// included.
    public var transactionTimeout: Duration = .seconds(30)
    /// How long a set tries.
    public var setTimeout: Duration = .seconds(5)
    /// How long a change that the cluster has made may take to come by the watch before that counts as
    /// broken.
    public var watchTimeout: Duration = .milliseconds(500)
    /// The longest of the growing pauses between attempts to reach a cluster that doesn't answer.
    public var maximumBackoff: Duration = .seconds(10)
    /// How many operations a transaction of the cluster may have: its `--max-txn-ops`.
    public var maximumOperations = 128

    /// The defaults.
    public init() {}
  }

  /// How the connection to the cluster is.
  public enum ConnectionState: Sendable {
    /// The cluster is asked, and hasn't answered so far; reads show the cache.
    case starting
    /// Reads show what the cluster has, but for what is on its way.
    case live
    /// No member answers since then, and why; reads show what was known last.
    case offline(since: Date, because: Defaults.SuiteError)
  }
}
