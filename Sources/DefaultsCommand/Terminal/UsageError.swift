import Defaults
import DefaultsText

/// A mistake in the arguments. The message says what is possible instead.
package struct UsageError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = escapedMessage(description)
  }

  /// Creates an error for an unknown name. The message lists known names and suggests the nearest.
  package init(unknown kind: String, _ name: String, known: [String]) {
    let nearest = NearestName.of(name, in: known).map { " (did you mean \($0)?)" } ?? ""
    let choice = known.isEmpty ? "there are none" : "choose one of \(known.joined(separator: ", "))"
    self.init("there is no \(kind) \"\(escaped(name))\"\(nearest); \(choice)")
  }
}
