// What a key tells its suite of the setting, for code that knows nothing but its name.

extension Defaults.Key {
  /// Makes the declaration known to the suite, and checks it: against itself, and against others of
  /// the name.
  func declare() {
    var declaration = keyDeclaration
    if case .constant(let value) = fallback {
      if let complaint = complaint(about: value) {
        fatalError(
          "the default of \"\(escaped(name))\" breaks the rule of its own key: "
            + escapedMessage("\(complaint)"))
      }
      // A default that can't be encoded can't be looked up without its type; reading is unharmed.
      declaration.encodedDefault = { [coding] in (try? coding.edit(for: value))?.entry }
    }
    // A suite of layers can't know what a text means before.
    if place.here.stored?.derived != nil { introduce(to: place.here) }
    guard
      let other = place.defaults.register(name, declaration, previousNames: previousNames),
      let difference = declaration.difference(from: other)
    else { return }
    let suite = suite
    suite.support.report(
      Defaults.SuiteError(
        .conflictingDeclarations,
        "Two keys have this name, \(difference)",
        suite: suite.label, key: name))
  }

  var declaredRules: KeyDeclaration.Rules {
    // Not the key itself: it holds its suite, and that holds this.
    KeyDeclaration.Rules(
      limits: { [rules] in rules.map { $0.limit() } },
      check: {
        [rules, coding, constantDefault, isSecret, name] (entry) throws(Defaults.SuiteError) in
        guard let value = try? coding.value(ofEntry: entry, fillingFrom: { constantDefault }),
          let complaint = Defaults.Rule.complaint(of: rules, about: value, isSecret: isSecret)
        else { return }
        throw Defaults.SuiteError(.invalid, "The entry isn't allowed: \(complaint)", key: name)
      })
  }
}

extension KeyDeclaration {
  /// What is different in another declaration of the name; nil if both mean the same setting.
  func difference(from other: KeyDeclaration) -> String? {
    if isSecret != other.isSecret {
      return "of which one is secret; what one hides the other shows, so declare both alike"
    }
    // Mostly the same key once more, of another instance of a schema.
    if type == other.type, rules == nil, other.rules == nil { return nil }
    if isOfAnything || other.isOfAnything { return nil }
    let advice = "; what one writes the other may not read, so give one of them another name"
    let types = [other.type, type].map(Self.unwrapped)
    if types[0] != types[1] { return "of type \(types[0]) and of type \(types[1])" + advice }
    guard rules != nil || other.rules != nil else { return nil }
    // In whatever order.
    let limits = [other, self].map { Set(($0.rules?.limits() ?? []).map(\.complaint)) }
    return limits[0] == limits[1] ? nil : "with different rules" + advice
  }
}
