extension Defaults {
  /// A test of the values of a setting, with the limit that describes it.
  @usableFromInline
  package struct Rule<Value: Sendable>: Sendable {
    @usableFromInline let allows: @Sendable (Value) -> Bool
    /// A closure, because the description is seldom needed and takes a while.
    @usableFromInline package let limit: @Sendable () -> Limit
    /// The allowed values, if the rule lists them.
    @usableFromInline package let choices: [Value]?
    /// For a rule about parts of a value: returns the part that isn't allowed, and the reason.
    @usableFromInline let partialComplaint: (@Sendable (Value, _ isSecret: Bool) -> String?)?

    /// Returns the reason that the rule can't check any value, as a clause; nil if it can.
    @usableFromInline let defect: @Sendable () -> String?

    @usableFromInline
    init(
      allows: @escaping @Sendable (Value) -> Bool, limit: @escaping @Sendable () -> Limit,
      defect: @escaping @Sendable () -> String? = { nil }, choices: [Value]? = nil,
      partialComplaint: (@Sendable (Value, _ isSecret: Bool) -> String?)? = nil
    ) {
      self.allows = allows
      self.limit = limit
      self.defect = defect
      self.choices = choices
      self.partialComplaint = partialComplaint
    }

    @usableFromInline
    init(choices: [Value]) where Value: Equatable {
      self.init(
        allows: { value in choices.contains { Self.areSame($0, value) } },
        limit: {
          let stored = choices.compactMap(PropertyListValue.init(bound:))
          if stored.count == choices.count { return .choices(stored) }
          let words = choices.map { Description.brief(value: $0) }
          return .check("must be one of \(words.joined(separator: ", "))")
        }, defect: { choices.isEmpty ? "its list of choices is empty" : nil }, choices: choices)
    }

    /// Compares texts by Unicode scalars, as other validators do.
    private static func areSame(_ one: Value, _ other: Value) -> Bool where Value: Equatable {
      if let one = one as? String, let other = other as? String {
        return one.hasSameScalars(as: other)
      }
      return one == other
    }

    /// Creates a rule about each part of a value; `parts` lists the parts with their places.
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

    /// The same rule for an optional of the value; nil is allowed.
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

    /// Returns the complaint of the first rule that doesn't allow a value; nil if all rules allow
    /// it.
    static func complaint(of rules: [Self], about value: Value, isSecret: Bool) -> String? {
      // Not lazily: in generic code, that makes Swift search all libraries of the process.
      for rule in rules {
        if let complaint = rule.complaint(about: value, isSecret: isSecret) { return complaint }
      }
      return nil
    }

    /// Returns the reason that a value isn't allowed, as a clause without secrets; nil if it is
    /// allowed.
    @usableFromInline
    func complaint(about value: Value, isSecret: Bool) -> String? {
      if allows(value) { return nil }
      if let complaint = partialComplaint?(value, isSecret) { return complaint }
      return "\(isSecret ? "the value" : Description.brief(value: value)) \(limit().complaint)"
    }
  }
}
