import Defaults

/// The profile whose entries a layer has.
enum ProfileChoice: Sendable {
  /// The profile that the user has chosen, by an entry of the writable layer.
  case stored
  /// A profile for this run.
  case named(String)
  /// No profile for this run.
  case noProfile

  /// Returns the name of the profile, which may not exist; nil if none is chosen.
  func name(in base: (String) -> PropertyListValue?) -> String? {
    switch self {
    case .stored:
      if case .string(let name)? = base(Defaults.profileName) { name } else { nil }
    case .named(let name): name
    case .noProfile: nil
    }
  }

  /// Returns the beginning of the names of the profile's entries in the base; nil if no profile is
  /// chosen or it doesn't exist.
  func prefix(in base: (String) -> PropertyListValue?) -> String? {
    guard let name = name(in: base), Defaults.Profiles.exists(name, in: base) else { return nil }
    return Defaults.Profiles.prefix(of: name)
  }

  /// Returns the issue of a chosen profile that doesn't exist.
  func problem(in base: (String) -> PropertyListValue?) -> Defaults.SuiteError? {
    let chosen = name(in: base)
    if case .stored = self, chosen == nil, base(Defaults.profileName) != nil {
      return Defaults.SuiteError(
        .noProfile,
        "The name of the chosen profile isn't a string, so the settings "
          + "outside of profiles are used; choose a profile",
        key: Defaults.profileName)
    }
    guard let name = chosen, !Defaults.Profiles.exists(name, in: base) else { return nil }
    return Defaults.SuiteError(
      .noProfile,
      "The chosen profile \"\(escaped(name))\" doesn't exist, so the settings outside of profiles "
        + "are used; create it or choose another one")
  }
}

extension Defaults.Layer {
  /// The settings of a profile, such as `work` or `home`: a named set of changes above the user's
  /// settings.
  ///
  /// ```swift
  /// Defaults.standard = try Defaults.LayeredSuite(
  ///   .arguments, .profile(), .writable(.standard), .site())
  /// try Defaults.Profiles(of: .standard).choose("work")
  /// Defaults[.volume] = 3  // only in the profile
  /// ```
  ///
  /// While a profile is chosen, all changes are made in the profile: a setter, update or
  /// transaction stores entries of the profile, and a reset removes them, so that the user's own
  /// settings are used again. Without a profile, changes are made in the user's settings.
  ///
  /// The profiles are entries of the writable suite, in its file: the setting `volume` of the
  /// profile `work` is the entry `Defaults.profiles.work.volume`. Choosing a profile is one change:
  /// all programs with this layer follow at once, and observers are notified of the settings whose
  /// values differ. The layer must be above ``writable(_:)``.
  ///
  /// - Parameter name: The profile for this run, such as the value of an option `--profile`, or
  ///   `default` for none. If it doesn't exist, the suite reports the issue `noProfile` and uses
  ///   the user's settings. By default, the profile is the one that was chosen with
  ///   ``Defaults/Profiles/choose(_:)``.
  public static func profile(_ name: String? = nil) -> Self {
    let isNone = name == Defaults.Profiles.noneName
    return Self([Part(profile: isNone ? .noProfile : name.map(ProfileChoice.named) ?? .stored)])
  }

  /// Traps unless there is at most one layer for profiles, and it is above the writable one.
  static func requireProfileAboveUser(_ parts: [Part]) {
    let places = parts.indices.filter { parts[$0].isProfile }
    let writable = parts.firstIndex { if case .writable = $0.content { true } else { false } }
    guard places.count < 2, places.first ?? -1 < writable ?? 0 else {
      fatalError("a layered suite takes one layer .profile(), above the writable layer")
    }
  }
}

extension Defaults.Layer.Part {
  init(profile choice: ProfileChoice) {
    self.init(name: "profile", content: .profile(choice))
  }

  var isProfile: Bool { if case .profile = content { true } else { false } }
}

// MARK: - In a stack

extension LayerStack {
  var hasProfile: Bool { levels.contains { $0.profile != nil } }

  func storedPrefix(base: (String) -> PropertyListValue?) -> String {
    levels.lazy.compactMap(\.profile).first?.prefix(in: base) ?? ""
  }

  /// Returns the names of settings, in and outside of profiles.
  func settingNames(in base: some Sequence<String>) -> Set<String> {
    var names: Set<String> = []
    for name in base {
      let setting = Defaults.settingName(of: name)
      if setting != name || !Defaults.isOfProfiles(name) { names.insert(setting) }
    }
    return names
  }

  /// The label of the suite that stores changes.
  var storedLabel: String { levels.first(where: \.isWritable)?.label ?? "" }

  /// The layer that stores changes: the profile's layer if a profile is chosen.
  func writableIndex(base: (String) -> PropertyListValue?) -> Int? {
    levels.firstIndex { $0.profile?.prefix(in: base) != nil || $0.isWritable }
  }

  /// The name of a layer for the user, with the name of the profile.
  func name(of level: Level, base: (String) -> PropertyListValue?) -> String {
    guard let choice = level.profile, choice.prefix(in: base) != nil,
      let name = choice.name(in: base)
    else { return level.part.name }
    return "profile \(name)"
  }
}

// MARK: - In a suite

extension Defaults.Suite {
  /// Whether the suite has a layer for profiles.
  package var hasProfiles: Bool { layers?.rule.hasProfile ?? false }

  /// Returns a suite with the same layers in which a profile is chosen, nil for none.
  package func inProfile(_ name: String?) throws(Defaults.SuiteError) -> Defaults.LayeredSuite {
    let choice = name.map(ProfileChoice.named) ?? .noProfile
    let parts = layers?.rule.levels.map(\.part) ?? []
    return try Defaults.LayeredSuite(
      parts.map { Defaults.Layer([$0.isProfile ? Defaults.Layer.Part(profile: choice) : $0]) })
  }
}
