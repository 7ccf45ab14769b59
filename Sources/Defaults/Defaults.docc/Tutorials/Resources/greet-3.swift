import Defaults

extension Defaults.Keys {
  static let name = Key<String?>("name")
  static let greeting = Key("greeting", default: "Hello")
  static let launches = Key("launches", default: 0)
}

let launch = try Defaults.update(.launches) { count in
  count += 1
  return count
}
print("\(Defaults[.greeting]), \(Defaults[.name] ?? "stranger")! This is launch \(launch).")
