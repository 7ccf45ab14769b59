// The limit of a rule, as data and as text. A rule itself is a closure, and the type of its range
// is known only at compile time.

/// Returns the bounds of one of the standard library's ranges, which have no protocol for them.
private func bounds<Bound: Comparable>(
  of range: some RangeExpression<Bound>
) -> (lower: Bound?, upper: Bound?, isClosed: Bool) {
  switch range {
  case let range as ClosedRange<Bound>: (range.lowerBound, range.upperBound, true)
  case let range as Range<Bound>: (range.lowerBound, range.upperBound, false)
  case let range as PartialRangeFrom<Bound>: (range.lowerBound, nil, true)
  case let range as PartialRangeThrough<Bound>: (nil, range.upperBound, true)
  case let range as PartialRangeUpTo<Bound>: (nil, range.upperBound, false)
  default: (nil, nil, true)
  }
}

extension Defaults.RangeLimit {
  @usableFromInline
  init<Bound: Comparable>(of range: some RangeExpression<Bound>) {
    let bounds = bounds(of: range)
    lowerBound = bounds.lower.flatMap(PropertyListValue.init(bound:))
    upperBound = bounds.upper.flatMap(PropertyListValue.init(bound:))
    includesUpperBound = bounds.isClosed
  }
}

extension Defaults.PropertyListValue {
  /// Encodes a value of any type by its own bridge; nil if it has none.
  @usableFromInline
  init?(bound value: Any) {
    guard let value = value as? any Defaults.Serializable, let stored = try? Self(encoding: value)
    else { return nil }
    self = stored
  }
}

extension Defaults.Limit {
  /// Returns the counts that a range of any kind contains.
  @usableFromInline
  static func counts(in range: some RangeExpression<Int>) -> ClosedRange<Int> {
    let bounds = bounds(of: range)
    let lower = max(bounds.lower ?? 0, 0)
    var upper = bounds.upper ?? .max
    if !bounds.isClosed, upper > lower { upper -= 1 }
    return lower...max(lower, upper)
  }

  /// Returns the defect of a rule about counts whose range contains no count; nil if it has some.
  @usableFromInline
  static func defect(ofCounts range: some RangeExpression<Int>) -> String? {
    let bounds = bounds(of: range)
    // A range of another type has no known bounds.
    guard bounds.lower ?? bounds.upper != nil, !range.contains(counts(in: range).lowerBound) else {
      return nil
    }
    return "its range \(Defaults.RangeLimit(of: range)) contains no count"
  }

  /// Returns the defect of a rule whose range is empty; nil if the range contains a value. Only a
  /// half-open range is known to be empty.
  @usableFromInline
  static func defect<Bound: Comparable>(ofValues range: some RangeExpression<Bound>) -> String? {
    guard let range = range as? Range<Bound>, range.isEmpty else { return nil }
    return "its range \(Defaults.RangeLimit(of: range)) contains no value"
  }
}

// MARK: - Text

extension Defaults.Limit {
  /// The predicate of a sentence about a value that isn't allowed: "isn't in 0...11".
  var complaint: String {
    switch self {
    case .range(let range) where range.lowerBound == nil && range.upperBound == nil:
      "isn't in the range"
    case .range(let range): "isn't in \(range)"
    case .count(let range, let isOfText):
      "must have \(Self.count(range)) \(isOfText ? "characters" : "elements")"
    case .choices(let choices): "isn't one of \(choices.map(\.description).joined(separator: ", "))"
    case .pattern(let pattern): "doesn't match \(pattern)"
    case .check(let words): words
    case .each(let limit): "has an element that \(limit.complaint)"
    }
  }

  package static func count(_ range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (let lower, let upper) where lower == upper: "exactly \(lower)"
    case (let lower, .max): "at least \(lower)"
    case (0, let upper): "at most \(upper)"
    case (let lower, let upper): "\(lower) to \(upper)"
    }
  }
}

extension Defaults.RangeLimit: CustomStringConvertible {
  @usableFromInline
  package var description: String {
    let mark = includesUpperBound || upperBound == nil ? "..." : "..<"
    return [lowerBound, upperBound].map { $0?.description ?? "" }.joined(separator: mark)
  }
}
