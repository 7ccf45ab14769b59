import Defaults
import DefaultsText

/// The user asked for something that the program doesn't do; the message says what it does.
package struct UsageError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = escapedMessage(description)
  }

  /// There is no such thing, and these are; the nearest one is named.
  package init(unknown kind: String, _ name: String, known: [String]) {
    let nearest = NearestName.of(name, in: known).map { " (\($0)?)" } ?? ""
    let choice = known.isEmpty ? "there are none" : "choose one of \(known.joined(separator: ", "))"
    self.init("there is no \(kind) \"\(escaped(name))\"\(nearest); \(choice)")
  }
}
