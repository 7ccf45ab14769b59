import Defaults
import Foundation

extension Defaults {
  /// A place through which devices exchange their states: a shared folder, or one of your own.
  ///
  /// A state is a JSON text of at most 1 MiB. A place may return states that are old, damaged, or
  /// present several times: a ``FolderSync`` merges all states that it can read, in any order. Each
  /// device only puts its own state. The methods are called by one thread at a time, and may wait.
  public protocol SyncTransport: Sendable {
    /// Returns all states that have arrived from devices, including this device's own state.
    ///
    /// - Throws: The reason why the place can't be reached. That is normal while a device is
    ///   offline.
    func states() throws -> [SyncedState]

    /// Replaces this device's state, atomically.
    ///
    /// - Parameters:
    ///   - state: The new state.
    ///   - device: The id of this device: 1 to 32 lowercase letters and digits.
    func put(_ state: Data, of device: String) throws
  }

  /// The state of a device, as a ``SyncTransport`` found it.
  public struct SyncedState: Sendable {
    /// The name of the state for messages, such as the name of a file. Not necessarily a device's
    /// id.
    public let name: String
    /// The state, or the reason why it can't be read.
    public let content: Result<Data, SuiteError>

    /// Creates a state that was found.
    ///
    /// - Parameters:
    ///   - name: The name for messages.
    ///   - content: The state, or the reason why it can't be read.
    public init(name: String, content: Result<Data, SuiteError>) {
      self.name = name
      self.content = content
    }
  }
}
