import Defaults
import Foundation

extension Defaults.EtcdSuite {
  /// The user of a cluster with authentication.
  public struct User: Sendable, Hashable, CustomStringConvertible {
    /// The user's name.
    public var name: String
    /// The password, which is only sent to the cluster.
    public var password: String

    /// Creates a user.
    public init(name: String, password: String) {
      self.name = name
      self.password = password
    }

    /// The name.
    @_documentation(visibility: internal)
    public var description: String { name }
  }

  /// Certificates for `https` endpoints.
  ///
  /// On Apple platforms they are ignored, and the certificates of the system's keychain are used.
  public struct TLS: Sendable, Hashable {
    /// The certificate authorities of the members, as a PEM file; nil for the system's certificate
    /// authorities.
    public var certificateAuthority: URL?
    /// The program's own certificate as a PEM file, if the members require one.
    public var certificate: URL?
    /// The private key of the certificate, as a PEM file.
    public var key: URL?

    /// Refers to PEM files. Without files, the system's certificate authorities are trusted.
    public init(certificateAuthority: URL? = nil, certificate: URL? = nil, key: URL? = nil) {
      self.certificateAuthority = certificateAuthority
      self.certificate = certificate
      self.key = key
    }
  }

  /// Options of a suite.
  public struct Options: OptionSet, Sendable, Hashable {
    /// The bits.
    @_documentation(visibility: internal)
    public let rawValue: Int

    /// Creates options from bits.
    @_documentation(visibility: internal)
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Queues sets while the cluster is unreachable. A queued set is stored in the cache, takes
    /// effect in this suite immediately, and is made in the cluster later, if necessary by a later
    /// run of the program.
    ///
    /// If another program has changed the setting in the meantime, the value of that program stays,
    /// and an issue `tooManyConflicts` names the setting. A change by this program isn't a
    /// conflict, even if the cluster's answer to the change was lost. `update`, `increment` and
    /// `transaction` are never queued. Requires a cache, which is written before each change is
    /// sent.
    public static let queueing = Self(rawValue: 1)

    /// Keeps all values for as long as the program runs: the values of the cache or, without a
    /// cache, the first values that the cluster sends. Changes by other programs and by this
    /// program are in ``EtcdSuite/upcoming``, and take effect at the next start.
    public static let stableUntilRestart = Self(rawValue: 2)
  }

  /// The timeouts and limits of a suite.
  ///
  /// The defaults are for a cluster in the same network.
  public struct Timing: Sendable, Hashable {
    /// The time to wait for a member's answer before another member is asked.
    public var requestTimeout: Duration = .seconds(2)
    /// The interval of checks whether the watch still reports every change. A stopped or
    /// unreachable member is replaced after this time plus ``requestTimeout``. A broken watch of a
    /// responsive member is noticed at the first check after a change, or after at most twelve
    /// checks if keys outside of the prefix change all the time.
    public var heartbeatInterval: Duration = .seconds(5)
    /// The time for `update`, `increment` and `transaction`, including retries after failures of
    /// members and conflicts.
    public var transactionTimeout: Duration = .seconds(30)
    /// The time for a set, including retries.
    public var setTimeout: Duration = .seconds(5)
    /// The time for the watch to report a change that is known to be committed. If the watch
    /// reports nothing in this time, it is replaced.
    public var watchTimeout: Duration = .milliseconds(500)
    /// The longest of the growing delays between attempts to reach a cluster.
    public var maximumBackoff: Duration = .seconds(10)
    /// The cluster's limit of operations in a transaction, `--max-txn-ops`.
    public var maximumOperations = 128

    /// Creates the default timeouts and limits.
    public init() {}
  }

  /// The state of the connection to the cluster.
  public enum ConnectionState: Sendable {
    /// The cluster hasn't answered yet. Reads return the cache.
    case starting
    /// Reads return the cluster's entries, except for changes that haven't arrived yet.
    case live
    /// No member has answered since the date, for the given reason. Reads return the last known
    /// entries.
    case offline(since: Date, because: Defaults.SuiteError)
  }
}
