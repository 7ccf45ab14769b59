/// The content of a trait that applies to settings of every type.
@usableFromInline
enum TraitLabel: Sendable {
  /// When the default is evaluated, if not at the declaration.
  @usableFromInline
  enum Generation: Sendable {
    case eachTime
    case once
  }

  case about(String)
  case secret
  case renamed([String])
  case generation(Generation)
  case mark(any TraitMark)
}

/// A label of another product, such as that of a setting that is synced.
@usableFromInline package protocol TraitMark: AnyObject, Sendable {}
