/// The user asked for something that the program doesn't do; the message says what it does.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  init(unknown kind: String, _ name: String, known: [String]) {
    let list = known.joined(separator: ", ")
    self.init("there is no \(kind) \"\(name)\"; choose one of \(list)")
  }
}
