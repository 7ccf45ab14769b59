import Defaults
import DefaultsCommand

extension Defaults.Keys {
  static let name = Key<String?>(
    "name", .count(1...40), .about("the name to greet"))
  static let greeting = Key(
    "greeting", default: "Hello",
    .choices(["Hello", "Hi", "Good day"]), .about("how to greet"))
  static let launches = Key(
    "launches", default: 0, .in(0...), .about("how often it was launched"))
}

if CommandLine.arguments.dropFirst().first == "settings" {
  Defaults.Command([.name, .greeting, .launches], name: "greet settings")
    .main(Array(CommandLine.arguments.dropFirst(2)))
}

let launch = try Defaults.update(.launches) { count in
  count += 1
  return count
}
let name = Defaults[.name] ?? "stranger"
print("\(Defaults[.greeting]), \(name)! This is launch \(launch).")
