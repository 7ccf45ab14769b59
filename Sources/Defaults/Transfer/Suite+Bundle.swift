import Foundation

extension Defaults.Suite {
  /// Registers the property list of a bundle as defaults: `Defaults.plist`, or another name.
  ///
  /// ```swift
  /// try Defaults.PropertyListSuite.standard.register(defaultsFrom: .main)
  /// ```
  ///
  /// They win over the defaults of keys and of the properties of a schema. Throws `unreadable` if
  /// the bundle has no such file, or it can't be read, and `malformed` if it isn't a property list
  /// with a dictionary at its top; nothing is registered then.
  public func register(
    defaultsFrom bundle: Bundle, resource name: String = "Defaults"
  ) throws(Defaults.SuiteError) {
    guard let url = bundle.url(forResource: name, withExtension: "plist") else {
      throw Defaults.SuiteError(
        .unreadable, "The bundle has no resource \(name).plist", suite: label,
        path: bundle.bundlePath)
    }
    try register(defaultsFrom: url)
  }
}
