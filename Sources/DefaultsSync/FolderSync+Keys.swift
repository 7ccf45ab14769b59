import Defaults
import Foundation

extension Defaults.FolderSync {
  /// Syncs the suite of the keys through a shared folder. Without keys, or if their suites differ,
  /// this is `.standard`.
  ///
  /// The parameters are those of ``init(_:folder:name:keys:onConflict:)``.
  public convenience init(
    folder: URL, name: String? = nil, keys: [Defaults.AnyKey] = [],
    onConflict: (@Sendable (Defaults.SyncConflict) -> Void)? = nil
  ) throws(Defaults.SuiteError) {
    try self.init(
      Defaults.AnyKey.commonSuite(of: keys), folder: folder, name: name, keys: keys,
      onConflict: onConflict)
  }

  /// Syncs the suite of the keys through any transport. Without keys, or if their suites differ,
  /// this is `.standard`.
  ///
  /// The parameters are those of ``init(_:transport:keys:onConflict:)``.
  public convenience init(
    transport: some Defaults.SyncTransport, keys: [Defaults.AnyKey] = [],
    onConflict: (@Sendable (Defaults.SyncConflict) -> Void)? = nil
  ) throws(Defaults.SuiteError) {
    try self.init(
      Defaults.AnyKey.commonSuite(of: keys), transport: transport, keys: keys,
      onConflict: onConflict)
  }
}
