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

/// A label of another product, such as the label of a synced setting.
@usableFromInline package protocol TraitMark: AnyObject, Sendable {}
