/// An optional of a type that isn't known.
package protocol AnyOptional {
  static var wrapped: Any.Type { get }
  var content: Any? { get }
}

extension Optional: AnyOptional {
  package static var wrapped: Any.Type { Wrapped.self }
  package var content: Any? { self }
}
