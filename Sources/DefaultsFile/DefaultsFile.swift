import Defaults
import DefaultsCommand

@main
enum DefaultsFile {
  static func main() { print("") }
}
