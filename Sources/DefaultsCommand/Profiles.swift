import Defaults
import DefaultsLayers
import DefaultsText

// The verb for profiles, and the option that chooses one for a single call.

extension Verb {
  /// All verbs of a command.
  static func all(of command: Defaults.Command) -> [Verb] {
    command.suite.hasProfiles ? all + [profile] : all
  }

  static let profileOption = Option(
    name: "--profile", value: "NAME", summary: "use a profile, or `default` for none")

  private static let copied = Option(
    name: "--copy", value: "PROFILE", summary: "create: copy the settings of a profile")
  private static let yes = Option(name: "--yes", summary: "delete: don't ask for confirmation")

  /// The actions of the verb, with the number of names that each takes.
  static let profileActions = ["list": 0, "create": 1, "switch": 1, "delete": 1]

  private static let profile: Verb = Verb(
    name: "profile", operands: "[list|create|switch|delete] [PROFILE]", count: 0...2,
    options: [copied, yes, .json],
    summary: "list, create, switch or delete profiles; the list marks the chosen profile"
  ) { command, invocation in
    let action = invocation.operands.first ?? "list"
    guard let count = profileActions[action] else {
      throw UsageError(unknown: "action", action, known: profileActions.keys.sorted())
    }
    let allowed: [Option] = ["list": [.json], "create": [copied], "delete": [yes]][action] ?? []
    guard max(1, invocation.operands.count) == count + 1,
      [copied, yes, .json].allSatisfy({ option in
        !invocation.has(option) || allowed.contains { $0.name == option.name }
      })
    else { throw UsageError("usage: \(profile.usage(of: command))") }
    let profiles = Defaults.Profiles(of: command.suite)
    guard let name = invocation.operands.dropFirst().first.map(unescaped) else {
      return command.list(profiles, asJSON: invocation.has(.json))
    }
    try command.explainingProfile {
      switch action {
      case "create": try profiles.create(name, copying: invocation[copied])
      case "switch": try profiles.choose(name)
      default: try command.delete(name, of: profiles, isConfirmed: invocation.has(yes))
      }
    }
    try command.save()
  }
}

extension Defaults.Command {
  /// Returns the command for the profile that an option before the verb names, and the other words.
  func choosingProfile(_ words: [String]) throws -> (Self, [String]) {
    guard let first = words.first, let option = Self.profileWords(of: words) else {
      return (self, words)
    }
    guard suite.hasProfiles else {
      throw UsageError("\(first): the settings of this program have no profiles")
    }
    guard let name = option.name else {
      throw UsageError("usage: \(self.name) \(Verb.profileOption.synopsis) COMMAND")
    }
    let profiles = Defaults.Profiles(of: suite)
    let names = profiles.names
    let profile = names.first { $0 == name }
    guard name == Defaults.Profiles.noneName || profile != nil else {
      throw UsageError(unknown: "profile", name, known: names)
    }
    if let profile, !profiles.isCreated(profile) {
      throw UsageError(
        "the profile \(profile) has settings, but wasn't created; run `\(self.name) profile "
          + "switch \(profile)`")
    }
    let suite = try suite.inProfile(profile)
    let command = Self(keys, suite: suite, name: self.name, version: version)
    return (command, Array(words.dropFirst(option.count)))
  }

  /// The name in an option `--profile` at the start of some words, and the number of its words.
  static func profileWords(of words: [String]) -> (name: String?, count: Int)? {
    let option = Verb.profileOption.name
    guard let first = words.first else { return nil }
    if first == option { return (words.dropFirst().first, 2) }
    guard first.hasPrefix(option + "=") else { return nil }
    return (String(first.dropFirst(option.count + 1)), 1)
  }

  /// The candidates for the words after the verb `profile`.
  func profileCandidates(after words: [String]) -> [String] {
    switch words.first {
    case nil: Verb.profileActions.keys.sorted()
    case "switch" where words.count == 1: allProfiles
    case "delete" where words.count == 1: Defaults.Profiles(of: suite).names
    case "create" where words.last == "--copy": allProfiles
    case "create": ["--copy"]
    default: []
    }
  }

  /// The names of the profiles, and `default` for the settings outside of profiles.
  var allProfiles: [String] {
    [Defaults.Profiles.noneName] + Defaults.Profiles(of: suite).names
  }

  fileprivate func list(_ profiles: Defaults.Profiles, asJSON isJSON: Bool) {
    let current = profiles.current ?? Defaults.Profiles.noneName
    if isJSON {
      let lines = allProfiles.map { name -> [String: Defaults.PropertyListValue] in
        ["name": .string(name), "isChosen": .bool(name == current)]
      }
      return Console.printExactly(lines)
    }
    for name in allProfiles {
      Console.print("\(name == current ? "*" : " ") \(name)", inColour: name == current)
    }
  }

  fileprivate func delete(
    _ name: String, of profiles: Defaults.Profiles, isConfirmed: Bool
  ) throws {
    let count = profiles.settings(of: name).count
    if !isConfirmed, count > 0 {
      guard Terminal.canAsk else {
        throw UsageError("there is no terminal to ask on; use --yes to delete the profile")
      }
      let settings = count == 1 ? "1 setting" : "\(count) settings"
      guard Terminal.confirms("Delete the profile \(name) with \(settings)?") else {
        throw Defaults.CommandError("nothing was changed", status: 1)
      }
    }
    let isChosen = profiles.current == name
    try profiles.delete(name)
    if isChosen { Console.printError("\(name) was the chosen profile; now none is chosen") }
  }

  /// Runs a body, and turns the error of a wrong name into a usage error.
  fileprivate func explainingProfile(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as Defaults.SuiteError
      where [.noProfile, .invalidProfile].contains(error.code)
    {
      throw UsageError(error.reason)
    }
  }
}
