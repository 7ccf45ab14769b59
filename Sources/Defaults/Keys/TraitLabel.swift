/// What a trait says of a setting of any type.
@usableFromInline
enum TraitLabel: Sendable {
  /// When the default is evaluated, if not where the setting is declared.
  @usableFromInline
  enum Generation: Sendable {
    case eachTime
    case once
  }

  case about(String)
  case secret
  case renamed([String])
  case generation(Generation)
}
