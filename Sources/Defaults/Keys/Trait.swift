// All of it is emitted where it is used: a program that declares no traits doesn't carry them.

extension Defaults {
  /// What a declaration says of a setting beside its name, type and default: what is allowed, what
  /// it is for, whether it may be shown.
  ///
  /// ```swift
  /// static let volume = Key("volume", default: 5, .in(0...11), .about("Loudness, 0 to 11"))
  /// static let port = Key<Int?>("port", .in(1...65535))
  /// static let user = Key("user", default: "", .matching("[a-z]*"))
  /// static let steps = Key("steps", default: 2, .check("must be even") { $0.isMultiple(of: 2) })
  /// static let token = Key<String?>("token", .secret)
  /// ```
  ///
  /// A value that a rule doesn't allow isn't written: `set` throws `invalid`, and a total setter
  /// leaves the entry and reports an issue. A stored entry that isn't allowed counts as one that
  /// doesn't decode: it stays, and reads as the default. A default that breaks a rule of its own
  /// key traps where the key is made; one that is computed isn't checked. Of an optional a rule is
  /// about the value that it wraps, and nil is allowed.
  ///
  /// Rules cost a setter a call each, and a read nothing: what was read before isn't checked again.
  public struct Trait<Value: Sendable>: Sendable {
    @usableFromInline
    enum Content: Sendable {
      case rule(Rule<Value>)
      case label(TraitLabel)
    }

    @usableFromInline let content: Content

    @usableFromInline
    init(_ content: Content) { self.content = content }

    var rule: Rule<Value>? { if case .rule(let rule) = content { rule } else { nil } }
  }
}

// MARK: - Any value

extension Defaults.Trait {
  /// What the setting is for, in a line, for people: in tables, help, and a schema.
  @_alwaysEmitIntoClient
  public static func about(_ text: String) -> Self { Self(.label(.about(text))) }

  /// The value is shown to nobody who doesn't ask for it: it stands in no description, issue, error
  /// or report, and an export leaves it out unless its selection is
  /// ``Defaults/Selection/includingSecrets``.
  ///
  /// The name is secret then in the key's suite and in every other one that the key is used with,
  /// and so are previous names; changes are described without knowing their suite, so there it is
  /// in all. A key that is a static constant isn't there before it is used first: a program that
  /// exports without having used it must name the key. In the file the value stands as any other
  /// does, readable for whoever may read the file; a file that this library makes is for its owner
  /// alone.
  @_alwaysEmitIntoClient
  public static var secret: Self { Self(.label(.secret)) }

  /// A rule of your own; the words say what it asks for: "must be even".
  ///
  /// The closure is called by whatever thread writes the setting, or reads it first, and mustn't
  /// use the suite.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public static func check(
    _ words: String, _ allows: @escaping @Sendable (Value) -> Bool
  ) -> Self {
    Self(.rule(Defaults.Rule(allows: allows) { .check(words) }))
  }

  /// A rule of your own for what an optional wraps.
  @_alwaysEmitIntoClient
  public static func check<Wrapped: Sendable>(
    _ words: String, _ allows: @escaping @Sendable (Wrapped) -> Bool
  ) -> Self where Value == Wrapped? {
    Self(wrapping: .check(words, allows))
  }

  /// One of some values; texts are compared by Unicode scalars.
  @_alwaysEmitIntoClient
  public static func choices(_ values: [Value]) -> Self where Value: Equatable {
    Self(.rule(Defaults.Rule(choices: values)))
  }

  /// Nil or one of some values.
  @_alwaysEmitIntoClient
  public static func choices<Wrapped: Equatable & Sendable>(
    _ values: [Wrapped]
  ) -> Self where Value == Wrapped? {
    Self(wrapping: .choices(values))
  }

  /// The trait of an optional that one of what it wraps is.
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
  /// A value in a range of any kind: `0...11`, `1...`, `..<5`.
  @_alwaysEmitIntoClient
  public static func `in`<Limits: RangeExpression<Value> & Sendable>(
    _ range: Limits
  ) -> Self where Value: Comparable {
    Self(
      .rule(
        Defaults.Rule(
          allows: { range.contains($0) }, limit: { .range(Defaults.RangeLimit(of: range)) })))
  }

  /// Nil or a value in a range.
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
  /// Text that a regular expression matches as a whole, by Unicode scalars: `.matching("[a-z]+")`.
  ///
  /// The pattern is checked when the key is made, which traps if it isn't one. It is the pattern of
  /// the setting's JSON Schema, where it means the same there. A check compiles it, which takes some
  /// ten microseconds.
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

  /// Text of some length, in Unicode scalars: as JSON Schema and most databases count, so that
  /// whoever checks comes to the same result.
  @_alwaysEmitIntoClient
  public static func count<Limits: RangeExpression<Int> & Sendable>(_ range: Limits) -> Self {
    Self(
      .rule(
        Defaults.Rule(allows: { range.contains($0.unicodeScalars.count) }) {
          .count(Defaults.Limit.counts(in: range), isOfText: true)
        }))
  }
}

extension Defaults.Trait where Value == String? {
  /// Nil or text that a regular expression matches as a whole.
  @_alwaysEmitIntoClient
  public static func matching(_ pattern: String) -> Self { Self(wrapping: .matching(pattern)) }

  /// Nil or text of some length, in Unicode scalars.
  @_alwaysEmitIntoClient
  public static func count<Limits: RangeExpression<Int> & Sendable>(_ range: Limits) -> Self {
    Self(wrapping: .count(range))
  }
}

// MARK: - Collections

extension Defaults.Trait where Value: Collection {
  /// A collection of so many elements.
  @_alwaysEmitIntoClient
  public static func count<Limits: RangeExpression<Int> & Sendable>(_ range: Limits) -> Self {
    Self(
      .rule(
        Defaults.Rule(allows: { range.contains($0.count) }) {
          .count(Defaults.Limit.counts(in: range), isOfText: false)
        }))
  }

  /// Elements each of which has these traits: `.each(.in(0...9))`.
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

  /// Elements of a dictionary each of which has these traits.
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
  /// Nil or a collection of so many elements.
  @_alwaysEmitIntoClient
  public static func count<Wrapped: Collection & Sendable, Limits: RangeExpression<Int> & Sendable>(
    _ range: Limits
  ) -> Self where Value == Wrapped? {
    Self(wrapping: .count(range))
  }

  /// Nil or elements each of which has these traits.
  @_alwaysEmitIntoClient
  public static func each<Wrapped: Collection & Sendable>(
    _ trait: Defaults.Trait<Wrapped.Element>
  ) -> Self where Value == Wrapped?, Wrapped.Element: Sendable {
    Self(wrapping: .each(trait))
  }

  /// Nil or elements of a dictionary each of which has these traits.
  @_alwaysEmitIntoClient
  public static func each<Name, Element: Sendable>(
    _ trait: Defaults.Trait<Element>
  ) -> Self where Value == [Name: Element]? {
    Self(wrapping: .each(trait))
  }
}
