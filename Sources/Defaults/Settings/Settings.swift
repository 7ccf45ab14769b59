import Observation

extension Defaults {
  /// The superclass of a class whose properties are settings.
  ///
  /// ```swift
  /// final class Preferences: Defaults.Settings {
  ///   @Stored var volume = 5
  ///   @Stored var nickname: String?
  /// }
  ///
  /// let preferences = Preferences()
  /// let inTests = Preferences(suite: Defaults.MemorySuite())
  /// ```
  ///
  /// For what an object is needed for, such as an environment or a binding; else a ``Schema`` is
  /// the better form, being `Sendable`. All that is said there holds here, too. A setting must not
  /// be used before `super.init`.
  open class Settings: StoredProperties, Observable {
    /// What comes before the name of each setting, unless the initializer is given something else.
    open class var namePrefix: String { "" }

    /// The settings of a suite, each by the name of its property behind the prefix; `namePrefix`
    /// nil stands for the class's own.
    public init(suite: some Suite, namePrefix: String? = nil) {
      SchemaReflection(of: self).bind(to: suite, behind: namePrefix ?? Self.namePrefix)
    }

    // Not by a default argument of the other: subclasses inherit none for an opaque type.
    /// The settings of the program's own suite.
    public convenience init(namePrefix: String? = nil) {
      self.init(suite: .standard, namePrefix: namePrefix)
    }
  }
}
