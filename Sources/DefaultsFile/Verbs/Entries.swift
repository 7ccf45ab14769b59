import Defaults
import DefaultsCommand
import DefaultsText
import Foundation

// The verbs for entries.

extension Verb {
  static let list = Verb(
    name: "list", options: [.json], summary: "print all entries: name, type, value"
  ) { place, invocation in
    let entries = try place.read().entries
    if invocation.has(.json) {
      let data = try Defaults.JSONFormat().encode(entries)
      return Console.printExactly(String(decoding: data, as: UTF8.self))
    }
    let rows = entries.sorted { $0.key < $1.key }.map { name, entry in
      [name, EntryType(of: entry).rawValue, entry.text]
    }
    for line in table(rows, width: Console.width) { Console.print(line) }
  }

  static let get = Verb(
    name: "get", operands: "NAME", count: 1...1, options: [.json],
    summary: "print the value of an entry"
  ) { place, invocation in
    let entry = try place.read().present(invocation.operands[0]).entry
    if invocation.has(.json) {
      Console.printExactly(Defaults.jsonText(of: entry) + "\n")
    } else {
      Console.print(entry.text)
    }
  }

  static let path = Verb(name: "path", summary: "print the path of the file") { place, _ in
    Console.printExactly("\(place.path)\n")
  }

  private static let jsonValue = Option(
    name: "--json", summary: "the value is JSON; also for arrays and dictionaries")
  private static let force = Option(
    name: "--force", summary: "change the type of an existing entry")

  static let set = Verb(
    name: "set", operands: "NAME VALUE|-", count: 2...2,
    options: EntryType.named.map(\.option) + [jsonValue, force],
    summary: "change or add an entry",
    details: [
      "An existing entry keeps its type unless --force is given. A new entry is a string",
      "unless a type is given. If VALUE is -, the value is read from standard input.",
    ]
  ) { place, invocation in
    let types = EntryType.named.filter { invocation.has($0.option) }
    guard types.count + (invocation.has(jsonValue) ? 1 : 0) < 2 else {
      throw UsageError("a value has one type; use only one of the options")
    }
    let (typed, word) = (invocation.operands[0], invocation.operands[1])
    guard !typed.isEmpty else { throw UsageError("the name of an entry is empty") }
    // A value that isn't an argument is neither in the list of processes nor in a shell's history.
    let text = word == "-" ? try Input.value() : unescaped(word)
    // Validate as much as possible before opening the file.
    let given =
      try explaining(typed) { () throws(UsageError) in
        invocation.has(jsonValue)
          ? try EntryType.value(ofJSON: text) : try types.first?.value(of: text)
      }
    let suite = try place.open()
    let (name, value) = try suite.transaction { draft in
      let name = existingName(typed: typed, in: draft.names) ?? unescaped(typed)
      let present = draft.entry(named: name)
      let type = present.map(EntryType.init) ?? .string
      let value = try explaining(name) { () throws(UsageError) in
        if let given { return given }
        return try type.value(of: text)
      }
      if present != nil, type != EntryType(of: value), !invocation.has(force) {
        throw UsageError(
          "\(name): its type is \(type.rawValue), not \(EntryType(of: value).rawValue); "
            + "use --force to change it")
      }
      try draft.setEntry(value, named: name)
      return (name, value)
    }
    try suite.save()
    Console.print("\(name) = \(value.text)")
  }

  private static func explaining<Result>(
    _ name: String, _ body: () throws(UsageError) -> Result
  ) throws(UsageError) -> Result {
    do throws(UsageError) {
      return try body()
    } catch {
      throw UsageError("\(name): \(error.description)")
    }
  }

  static let unset = Verb(
    name: "unset", operands: "NAME…", count: 1...Int.max,
    summary: "remove the named entries; if one can't be removed, none is"
  ) { place, invocation in
    let suite = try place.open(mustExist: true)
    let names = try suite.transaction { draft in
      let all = draft.names
      let names = try invocation.operands.map { typed in
        guard let name = existingName(typed: typed, in: all) else {
          throw UsageError(noEntry: typed, of: all)
        }
        return name
      }
      for name in names { draft.removeEntry(named: name) }
      return names
    }
    try suite.save()
    for name in names { Console.print("\(name) = (none)") }
  }
}
