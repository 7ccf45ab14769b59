// The code of this file is emitted into the client, so a program without traits doesn't contain it.

extension Defaults {
  /// A rule or a label in the declaration of a setting: which values are allowed, what the setting
  /// is for, whether its value is redacted.
  ///
  /// ```swift
  /// static let volume = Key("volume", default: 5, .in(0...11), .about("Loudness, 0 to 11"))
  /// static let port = Key<Int?>("port", .in(1...65535))
  /// static let user = Key("user", default: "", .matching("[a-z]*"))
  /// static let steps = Key("steps", default: 2, .check("must be even") { $0.isMultiple(of: 2) })
  /// static let token = Key<String?>("token", .secret)
  /// ```
  ///
  /// A value that a rule rejects isn't written: `set` throws `invalid`; a subscript leaves the
  /// entry unchanged and reports an issue. A stored entry that a rule rejects is treated like an
  /// undecodable entry: it stays, and reads as the default. A default that violates a rule of its
  /// own key traps when the key is created. A computed or generated default is checked when it is
  /// used: it is returned with an issue and not stored, and `value(for:)` throws. A rule of an
  /// optional applies to the wrapped value, and nil is allowed.
  ///
  /// A setter calls each rule. Rules don't slow down reads: a value is checked once, when it is
  /// decoded.
  public struct Trait<Value: Sendable>: Sendable {
    @usableFromInline
    enum Content: Sendable {
      case rule(Rule<Value>)
      case label(TraitLabel)
    }

    @usableFromInline let content: Content

    @usableFromInline
    init(_ content: Content) { self.content = content }
  }
}

// MARK: - Any value

extension Defaults.Trait {
  /// Describes the setting in one line, for tables, help, and a schema.
  @_alwaysEmitIntoClient
  public static func about(_ text: String) -> Self { Self(.label(.about(text))) }

  /// Redacts the value. No description, issue, error or report contains it, and an export omits it
  /// unless its selection is ``Defaults/Selection/includingSecrets``.
  ///
  /// The name and the previous names are then secret in the key's suite and in every other suite
  /// that the key is used with. A ``Change`` has no suite, so its description redacts these names
  /// for all suites. Swift creates a static key only when the key is first used, and an earlier
  /// export doesn't know that the name is secret. So use the key before the first export. A
  /// ``Schema`` declares its secrets when it is created. The file contains the value unencrypted,
  /// and everyone who may read the file can read it; only the owner may read a file that this
  /// library creates.
  @_alwaysEmitIntoClient
  public static var secret: Self { Self(.label(.secret)) }

  /// Allows the values for which a closure returns true.
  ///
  /// - Parameters:
  ///   - words: The requirement as a predicate: "must be even".
  ///   - allows: Runs on the thread that writes or first reads the setting; can't use the suite.
  @_alwaysEmitIntoClient
  public static func check(_ words: String, _ allows: @escaping @Sendable (Value) -> Bool) -> Self {
    Self(.rule(Defaults.Rule(allows: allows) { .check(words) }))
  }

  /// Allows nil and the wrapped values for which a closure returns true.
  @_alwaysEmitIntoClient
  public static func check<Wrapped: Sendable>(
    _ words: String, _ allows: @escaping @Sendable (Wrapped) -> Bool
  ) -> Self where Value == Wrapped? {
    Self(wrapping: .check(words, allows))
  }

  /// Allows the listed values. Texts are compared by Unicode scalars.
  @_alwaysEmitIntoClient
  public static func choices(_ values: [Value]) -> Self where Value: Equatable {
    Self(.rule(Defaults.Rule(choices: values)))
  }

  /// Allows nil and the listed values.
  @_alwaysEmitIntoClient
  public static func choices<Wrapped: Equatable & Sendable>(
    _ values: [Wrapped]
  ) -> Self where Value == Wrapped? {
    Self(wrapping: .choices(values))
  }

  /// Creates the trait of an optional from a trait of the wrapped value.
  @_alwaysEmitIntoClient
  init<Wrapped: Sendable>(wrapping trait: Defaults.Trait<Wrapped>) where Value == Wrapped? {
    switch trait.content {
    case .rule(let rule): self.init(.rule(rule.ofOptional))
    case .label(let label): self.init(.label(label))
    }
  }
}

// MARK: - Ranges

extension Defaults.Trait {
  /// Allows values in a range of any kind: `0...11`, `1...`, `..<5`.
  @_alwaysEmitIntoClient
  public static func `in`<Limits: RangeExpression<Value> & Sendable>(
    _ range: Limits
  ) -> Self where Value: Comparable {
    Self(
      .rule(
        Defaults.Rule(
          allows: { range.contains($0) }, limit: { .range(Defaults.RangeLimit(of: range)) },
          defect: { Defaults.Limit.defect(ofValues: range) })))
  }

  /// Allows nil and values in a range.
  @_alwaysEmitIntoClient
  public static func `in`<
    Wrapped: Comparable & Sendable, Limits: RangeExpression<Wrapped> & Sendable
  >(
    _ range: Limits
  ) -> Self where Value == Wrapped? {
    Self(wrapping: .in(range))
  }
}

// MARK: - Text

extension Defaults.Trait where Value == String {
  /// Allows texts that match a regular expression as a whole, by Unicode scalars.
  ///
  /// An invalid pattern traps when the key is created. The setting's JSON Schema has the pattern if
  /// the pattern means the same there. Each check compiles the pattern, which takes tens of
  /// microseconds.
  @_alwaysEmitIntoClient
  public static func matching(_ pattern: String) -> Self {
    Self(
      .rule(
        Defaults.Rule(
          allows: { text in
            guard let expression = try? Regex(pattern) else { return false }
            let match = try? expression.matchingSemantics(.unicodeScalar).wholeMatch(in: text)
            return match != nil
          },
          limit: { .pattern(pattern) },
          defect: {
            do {
              _ = try Regex(pattern)
              return nil
            } catch {
              return "its pattern \(pattern) isn't a regular expression: \(error)"
            }
          })))
  }

  /// Allows texts whose length is in a range, in Unicode scalars as in JSON Schema and databases.
  @_alwaysEmitIntoClient
  public static func count<Limits: RangeExpression<Int> & Sendable>(_ range: Limits) -> Self {
    Self(
      .rule(
        Defaults.Rule(
          allows: { range.contains($0.unicodeScalars.count) },
          limit: { .count(Defaults.Limit.counts(in: range), isOfText: true) },
          defect: { Defaults.Limit.defect(ofCounts: range) })))
  }
}

extension Defaults.Trait where Value == String? {
  /// Allows nil and texts that a regular expression matches as a whole.
  @_alwaysEmitIntoClient
  public static func matching(_ pattern: String) -> Self { Self(wrapping: .matching(pattern)) }

  /// Allows nil and texts whose length is in a range, in Unicode scalars.
  @_alwaysEmitIntoClient
  public static func count<Limits: RangeExpression<Int> & Sendable>(_ range: Limits) -> Self {
    Self(wrapping: .count(range))
  }
}

// MARK: - Collections

extension Defaults.Trait where Value: Collection {
  /// Allows collections whose number of elements is in a range.
  @_alwaysEmitIntoClient
  public static func count<Limits: RangeExpression<Int> & Sendable>(_ range: Limits) -> Self {
    Self(
      .rule(
        Defaults.Rule(
          allows: { range.contains($0.count) },
          limit: { .count(Defaults.Limit.counts(in: range), isOfText: false) },
          defect: { Defaults.Limit.defect(ofCounts: range) })))
  }

  /// Applies a trait to each element: `.each(.in(0...9))`.
  @_alwaysEmitIntoClient
  public static func each(_ trait: Defaults.Trait<Value.Element>) -> Self
  where Value.Element: Sendable {
    switch trait.content {
    case .rule(let rule):
      Self(
        .rule(
          Defaults.Rule(each: rule) { value in
            value.lazy.enumerated().map { (place: "\($0.offset)", part: $0.element) }
          }))
    case .label(let label): Self(.label(label))
    }
  }

  /// Applies a trait to each value of a dictionary.
  @_alwaysEmitIntoClient
  public static func each<Name, Element: Sendable>(
    _ trait: Defaults.Trait<Element>
  ) -> Self where Value == [Name: Element] {
    switch trait.content {
    case .rule(let rule):
      Self(
        .rule(
          Defaults.Rule(each: rule) { value in
            value.lazy.map { (place: "\($0.key)", part: $0.value) }
          }))
    case .label(let label): Self(.label(label))
    }
  }
}

extension Defaults.Trait {
  /// Allows nil and collections whose number of elements is in a range.
  @_alwaysEmitIntoClient
  public static func count<Wrapped: Collection & Sendable, Limits: RangeExpression<Int> & Sendable>(
    _ range: Limits
  ) -> Self where Value == Wrapped? {
    Self(wrapping: .count(range))
  }

  /// Allows nil, and applies a trait to each element.
  @_alwaysEmitIntoClient
  public static func each<Wrapped: Collection & Sendable>(
    _ trait: Defaults.Trait<Wrapped.Element>
  ) -> Self where Value == Wrapped?, Wrapped.Element: Sendable {
    Self(wrapping: .each(trait))
  }

  /// Allows nil, and applies a trait to each value of a dictionary.
  @_alwaysEmitIntoClient
  public static func each<Name, Element: Sendable>(
    _ trait: Defaults.Trait<Element>
  ) -> Self where Value == [Name: Element]? {
    Self(wrapping: .each(trait))
  }
}
