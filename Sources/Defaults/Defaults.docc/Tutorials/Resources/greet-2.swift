import Defaults

extension Defaults.Keys {
  static let name = Key<String?>("name")
  static let greeting = Key("greeting", default: "Hello")
}

let name = Defaults[.name] ?? "stranger"
print("\(Defaults[.greeting]), \(name)!")
