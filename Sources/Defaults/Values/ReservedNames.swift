extension Defaults {
  /// The name of the entry in which a suite keeps the version that it was migrated to, an integer;
  /// see ``Suite/migrate(to:steps:)``. An entry like any other, in exports too; leave it alone.
  public static let versionName = "Defaults.version"

  /// The name of the entry in which a suite keeps what was imported from `UserDefaults`, so that it
  /// isn't imported again; see ``Suite/importValues(_:from:domain:conflicts:)``. Remove it to
  /// import anew. It belongs to this installation, so it isn't exported.
  public static let importedName = "Defaults.imported"

  /// Whether the library keeps something of its own under the name.
  static func isReserved(_ name: String) -> Bool {
    name == versionName || name == importedName
  }
}
