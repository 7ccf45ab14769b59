extension Defaults {
  /// What values of a setting are allowed: a test, and the limit that it stands for.
  @usableFromInline
  package struct Rule<Value: Sendable>: Sendable {
    @usableFromInline let allows: @Sendable (Value) -> Bool
    /// Described when somebody asks: seldom, and it takes a while.
    @usableFromInline package let limit: @Sendable () -> Limit
    /// The values, if they are listed.
    @usableFromInline let choices: [Value]?
    /// The part that isn't allowed, and why, of a value of which only a part may be wrong.
    @usableFromInline let partialComplaint: (@Sendable (Value, _ isSecret: Bool) -> String?)?

    /// Why no value can be checked by the rule, in a clause; nil if all is well.
    @usableFromInline let defect: @Sendable () -> String?

    @usableFromInline
    init(
      allows: @escaping @Sendable (Value) -> Bool, limit: @escaping @Sendable () -> Limit,
      defect: @escaping @Sendable () -> String? = { nil }
    ) {
      self.allows = allows
      self.limit = limit
      self.defect = defect
      choices = nil
      partialComplaint = nil
    }

    /// A rule that lists the values.
    @usableFromInline
    init(choices: [Value]) where Value: Equatable {
      allows = { value in choices.contains { Self.areSame($0, value) } }
      limit = {
        let stored = choices.compactMap(PropertyListValue.init(bound:))
        if stored.count == choices.count { return .choices(stored) }
        let words = choices.map { Description.brief(value: $0) }
        return .check("must be one of \(words.joined(separator: ", "))")
      }
      self.choices = choices
      defect = { nil }
      partialComplaint = nil
    }

    /// Texts by Unicode scalars, as other validators compare them.
    private static func areSame(_ one: Value, _ other: Value) -> Bool where Value: Equatable {
      if let one = one as? String, let other = other as? String {
        return one.hasSameScalars(as: other)
      }
      return one == other
    }

    /// A rule about each of some parts of a value, which are listed with their places.
    @_alwaysEmitIntoClient
    init<Part: Sendable>(
      each rule: Rule<Part>,
      of parts: @escaping @Sendable (Value) -> any Sequence<(place: String, part: Part)>
    ) {
      allows = { value in !parts(value).contains { !rule.allows($0.part) } }
      limit = { .each(rule.limit()) }
      defect = rule.defect
      choices = nil
      partialComplaint = { value, isSecret in
        parts(value).first { !rule.allows($0.part) }.map {
          // The place may be a name in a dictionary, which is part of the value.
          let place = isSecret ? "an element" : "[\($0.place)]"
          return "\(place): \(rule.complaint(about: $0.part, isSecret: isSecret) ?? "")"
        }
      }
    }

    /// The same rule for what an optional wraps; nil is allowed.
    @_alwaysEmitIntoClient
    var ofOptional: Rule<Value?> {
      var complaint: (@Sendable (Value?, _ isSecret: Bool) -> String?)?
      if let partialComplaint {
        complaint = { value, isSecret in value.flatMap { partialComplaint($0, isSecret) } }
      }
      return Rule<Value?>(
        allows: { $0.map(allows) ?? true }, limit: limit, defect: defect,
        choices: choices.map { $0.map(Value?.some) },
        partialComplaint: complaint)
    }

    @_alwaysEmitIntoClient
    init(
      allows: @escaping @Sendable (Value) -> Bool, limit: @escaping @Sendable () -> Limit,
      defect: @escaping @Sendable () -> String?, choices: [Value]?,
      partialComplaint: (@Sendable (Value, _ isSecret: Bool) -> String?)?
    ) {
      self.allows = allows
      self.limit = limit
      self.defect = defect
      self.choices = choices
      self.partialComplaint = partialComplaint
    }

    /// What the rule says of values that are stored by a coding.
    package func limit(storedBy coding: Coding<Value>) -> Limit {
      let limit = limit()
      guard let choices else { return limit }
      let stored = choices.compactMap { try? coding.edit(for: $0).entry }
      return stored.count == choices.count ? .choices(stored) : limit
    }

    /// Why the first of some rules that doesn't allow a value doesn't; nil if all do.
    static func complaint(of rules: [Self], about value: Value, isSecret: Bool) -> String? {
      rules.lazy.compactMap { $0.complaint(about: value, isSecret: isSecret) }.first
    }

    /// Why a value isn't allowed, in a clause; nil if it is. Shows nothing of a secret one.
    @usableFromInline
    func complaint(about value: Value, isSecret: Bool) -> String? {
      if allows(value) { return nil }
      if let complaint = partialComplaint?(value, isSecret) { return complaint }
      return "\(isSecret ? "the value" : Description.brief(value: value)) \(limit().complaint)"
    }
  }
}
