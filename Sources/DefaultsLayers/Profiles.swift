import Defaults
import DefaultsText

extension Defaults {
  /// The profiles of a suite: named sets of changes that people switch between, such as `work` and
  /// `home`.
  ///
  /// ```swift
  /// let profiles = Defaults.Profiles(of: suite)
  /// try profiles.create("work")
  /// try profiles.choose("work")
  /// suite[.volume] = 3            // in the profile
  /// try profiles.choose(nil)      // the user's own volume again
  /// ```
  ///
  /// A program reads them by a ``Layer/profile(_:)`` in its ``LayeredSuite``. Each function is one
  /// transaction of the writable suite, so it is atomic across processes.
  ///
  /// A name consists of at most 64 letters, digits, hyphens and underscores, and begins with a
  /// letter or digit. Names that differ only in case are rejected. `default` is no profile:
  /// commands use it for the settings outside of profiles.
  public struct Profiles: Sendable {
    private let base: any Suite

    /// Creates a view of the profiles in a suite's file.
    ///
    /// - Parameter suite: The suite. In a suite of layers, the writable layer has the profiles.
    public init(of suite: some Suite) { base = suite.writable }

    /// The names of all profiles, sorted.
    public var names: [String] { Self.names(in: base.names) }

    /// The name of the chosen profile. nil if no profile is chosen, or if the chosen profile
    /// doesn't exist.
    public var current: String? {
      let name = ProfileChoice.stored.name { base.entry(named: $0) }
      return name.flatMap { isCreated($0) ? $0 : nil }
    }

    /// Returns whether a profile was created or chosen. An editor may write settings of a profile
    /// that was neither.
    package func isCreated(_ name: String) -> Bool {
      Self.exists(name) { base.entry(named: $0) }
    }

    /// Creates a profile, without choosing it.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - source: The profile whose settings are copied, or `default` for the settings outside of
    ///     profiles. By default, the profile has no settings.
    /// - Throws: `invalidProfile` for a name that isn't allowed or that another profile has,
    ///   `noProfile` if the source doesn't exist, and the errors of a transaction.
    public func create(
      _ name: String, copying source: String? = nil
    ) throws(SuiteError) {
      try change { draft throws(SuiteError) in
        let names = draft.names
        try Self.check(name, against: Self.names(in: names))
        if let source {
          let source = source == Self.noneName ? nil : try stored(source, in: draft)
          for stored in names where source == nil || Self.profile(of: stored) == source {
            let setting = Defaults.settingName(of: stored)
            let isEntry = source == nil ? !Defaults.isReserved(stored) : setting != stored
            guard isEntry, let entry = draft.entry(named: stored) else { continue }
            try draft.setEntry(entry, named: Self.prefix(of: name) + setting)
          }
        }
        try draft.setEntry(true, named: Self.marker(of: name))
      }
    }

    /// Chooses a profile for all programs that use the suite's file with a ``Layer/profile(_:)``.
    ///
    /// - Parameter name: The name of the profile, or nil for the settings outside of profiles.
    /// - Throws: `noProfile` if there is no such profile, and the errors of a transaction.
    public func choose(_ name: String?) throws(SuiteError) {
      try change { draft throws(SuiteError) in
        guard let name, name != Self.noneName else {
          return draft.removeEntry(named: Defaults.profileName)
        }
        let found = try stored(name, in: draft)
        // A text editor may have written settings of a profile that wasn't created.
        try draft.setEntry(true, named: Self.marker(of: found))
        try draft.setEntry(.string(found), named: Defaults.profileName)
      }
    }

    /// Deletes a profile and its settings. If the profile was chosen, no profile is chosen
    /// afterwards.
    ///
    /// - Throws: `noProfile` if there is no such profile, and the errors of a transaction.
    public func delete(_ name: String) throws(SuiteError) {
      try change { draft throws(SuiteError) in
        let found = try stored(name, in: draft)
        for stored in draft.names where Self.profile(of: stored) == found {
          draft.removeEntry(named: stored)
        }
        if draft.entry(named: Defaults.profileName) == .string(found) {
          draft.removeEntry(named: Defaults.profileName)
        }
      }
    }

    /// Returns the names of the settings that a profile has.
    package func settings(of name: String) -> [String] {
      base.names.filter { Self.profile(of: $0) == name && $0 != Self.marker(of: name) }
        .map(Defaults.settingName).sorted()
    }

    private func change(
      _ body: (inout Draft) throws(SuiteError) -> Void
    ) throws(SuiteError) {
      do {
        try base.transaction { try body(&$0) }
      } catch {
        throw SuiteError(wrapping: error, .unwritable, suite: base.label)
      }
    }

    /// Returns the name of a profile as it is stored: canonically equivalent names have different
    /// bytes.
    private func stored(_ name: String, in draft: Draft) throws(SuiteError) -> String {
      let names = Self.names(in: draft.names)
      if let stored = names.first(where: { $0 == name }) { return stored }
      let nearest = NearestName.of(name, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
      throw SuiteError(
        .noProfile, "There is no profile \"\(escaped(name))\"\(nearest)", suite: base.label)
    }
  }
}

// MARK: - Names

extension Defaults.Profiles {
  /// The name that stands for the settings outside of profiles.
  package static let noneName = "default"

  /// The name of the entry that a profile has as long as it exists.
  static func marker(of name: String) -> String { Defaults.profilesPrefix + name }

  /// The beginning of the names of a profile's settings.
  static func prefix(of name: String) -> String { marker(of: name) + "." }

  static func exists(_ name: String, in base: (String) -> PropertyListValue?) -> Bool {
    // With a dot it would be the name of a setting in a profile.
    !name.utf8.contains(UInt8(ascii: ".")) && base(marker(of: name)) != nil
  }

  /// Returns the profile that an entry belongs to, by its name.
  fileprivate static func profile(of stored: String) -> String? {
    guard stored.utf8.starts(with: Defaults.profilesPrefix.utf8) else { return nil }
    let rest = stored.utf8.dropFirst(Defaults.profilesPrefix.utf8.count)
    return String(rest.prefix { $0 != UInt8(ascii: ".") })
  }

  fileprivate static func names(in all: Set<String>) -> [String] {
    // A text editor may have written names that aren't allowed.
    Set(all.compactMap(profile)).filter { problem(with: $0) == nil }.sorted()
  }

  /// Throws if a profile of this name can't be created.
  fileprivate static func check(
    _ name: String, against names: [String]
  ) throws(Defaults.SuiteError) {
    var problem = problem(with: name)
    if let other = names.first(where: { $0.lowercased() == name.lowercased() }) {
      problem = other == name ? "exists" : "differs only in case from \"\(other)\", which exists"
    }
    guard let problem else { return }
    throw Defaults.SuiteError(.invalidProfile, "The profile \"\(escaped(name))\" \(problem)")
  }

  /// Returns why a name isn't allowed; nil if it is.
  private static func problem(with name: String) -> String? {
    if name.lowercased() == noneName {
      return "can't be created, since the name stands for the settings outside of profiles"
    }
    let isAllowed = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || scalar.properties.generalCategory == .nonspacingMark
        || "-_".unicodeScalars.contains(scalar)
    }
    guard isAllowed, let first = name.first, first.isLetter || first.isNumber, name.count <= 64,
      name.utf8.count <= 256
    else {
      return "can't be created: a name is 1 to 64 letters, digits, hyphens and underscores, and "
        + "begins with a letter or digit"
    }
    return nil
  }
}

extension Defaults.SuiteError.Code {
  /// A profile doesn't exist.
  public static let noProfile = Self(rawValue: "noProfile")
  /// The name isn't allowed for a profile, or is taken.
  public static let invalidProfile = Self(rawValue: "invalidProfile")
}
