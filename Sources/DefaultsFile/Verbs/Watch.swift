import Defaults
import DefaultsCommand
import DefaultsText

extension Verb {
  static let watch = Verb(
    name: "watch", operands: "[NAME…]", count: 0...Int.max,
    summary: "print entries and their changes until interrupted"
  ) { place, invocation in
    // Not at the end, which may be days away.
    Defaults.issueHandler = { Console.printError($0.error) }
    let suite = try place.read()
    let all = suite.names
    let named = invocation.operands.map { existingName(typed: $0, in: all) ?? unescaped($0) }
    let names = named.isEmpty ? nil : Set(named)
    let error = Following.run { printed in
      suite.observe(names, options: [.initial]) { change in
        for (name, entry) in change.entries.sorted(by: { $0.key < $1.key }) {
          Console.print(
            change.isInitial
              ? "\(name) = \(entry.new.shown)"
              : "\(name) = \(entry.new.shown), was \(entry.old.shown)",
            inColour: !change.isInitial)
        }
        printed()
      }
    }
    if let error { throw error }
  }
}
