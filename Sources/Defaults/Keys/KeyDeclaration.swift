// The declaration that a key registers with its suite, for code that knows only a name.

extension Defaults.Key {
  /// Registers the declaration with the suite, and checks it against its own rules and against
  /// other declarations of the name.
  func declare() {
    var declaration = keyDeclaration
    if let value = constantDefault ?? initial?.constant,
      let complaint = complaint(about: value, in: nil)
    {
      fatalError(
        "the default of \"\(escaped(name))\" violates a rule of its key: "
          + escapedMessage("\(complaint)"))
    }
    if case .constant(let value) = fallback {
      // A default that can't be encoded can't be looked up by name; reading by the key still works.
      declaration.encodedDefault = { [coding] in (try? coding.edit(for: value))?.entry }
    }
    if let about {
      place.defaults.describe(name, as: about)
      // A suite of layers stores the setting in its base.
      place.here.stored?.derived?.base.support.defaultsOfKeys.describe(name, as: about)
    }
    if mark != nil { place.defaults.addMarked(detached()) }
    // A suite of layers needs the key to parse the texts of the setting.
    if place.here.stored?.derived != nil { introduce(to: place.here) }
    let (other, sharedName) = place.defaults.register(
      name, declaration, previousNames: previousNames)
    if let difference = other.flatMap(declaration.difference) {
      reportConflict("Two keys have this name, \(difference)")
    }
    if let sharedName {
      reportConflict(
        "\"\(escaped(sharedName))\" is the name of one key and a previous name of another. Setting "
          + "the one removes the other's entry. Remove the previous name, or rename the key")
    }
  }

  private func reportConflict(_ reason: String) {
    let suite = suite
    suite.support.report(
      SuiteError(.conflictingDeclarations, reason, suite: suite.label, key: name))
  }

  var declaredRules: KeyDeclaration.Rules {
    // Don't capture the key: it retains its suite, which retains these rules.
    KeyDeclaration.Rules(
      limits: { [rules] in rules.map { $0.limit() } },
      check: {
        [rules, coding, constantDefault, isSecret, name] (entry) throws(SuiteError) in
        guard let value = try? coding.value(ofEntry: entry, fillingFrom: { constantDefault }),
          let complaint = Defaults.Rule.complaint(of: rules, about: value, isSecret: isSecret)
        else { return }
        throw SuiteError(.invalid, "The entry isn't allowed: \(complaint)", key: name)
      })
  }
}

extension KeyDeclaration {
  /// Returns the difference from another declaration of the name; nil if they mean one setting.
  func difference(from other: KeyDeclaration) -> String? {
    if isSecret != other.isSecret {
      return "but only one is secret; declare both with `.secret`, or neither"
    }
    // Usually the same key again, from another instance of a schema.
    if type == other.type, rules == nil, other.rules == nil { return nil }
    if isOfAnything || other.isOfAnything { return nil }
    let advice = "; each may be unable to read the other's values. Rename one of them"
    let types = [other.type, type].map(Self.unwrapped)
    if types[0] != types[1] { return "of type \(types[0]) and of type \(types[1])" + advice }
    guard rules != nil || other.rules != nil else { return nil }
    // Sets, because the order of the rules doesn't matter.
    let limits = [other, self].map { Set(($0.rules?.limits() ?? []).map(\.complaint)) }
    return limits[0] == limits[1] ? nil : "with different rules" + advice
  }
}
