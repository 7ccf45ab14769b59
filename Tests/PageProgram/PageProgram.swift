import Defaults
import DefaultsCommand
import DefaultsLayers
import Foundation
import Harness

/// A program whose settings a browser changes: their command, with the page as a CGI program.
///
/// Its files are in the folder `PAGE_FOLDER`: `settings.plist`, and `managed.json` of an
/// administrator. With `PAGE_COUNT` it has that many settings of all kinds instead.
@main
struct PageProgram {
  static func main() throws {
    Defaults.Command.prepare()
    let variables = ProcessInfo.processInfo.environment
    let folder = URL(filePath: variables["PAGE_FOLDER"] ?? ".")
    let suite = try Defaults.LayeredSuite(
      .managed(at: folder.appending(path: "managed.json")), .environment(prefix: "PAGE_"),
      .writable(try Defaults.PropertyListSuite(url: folder.appending(path: "settings.plist"))))
    let keys =
      variables["PAGE_COUNT"].flatMap { Int($0) }.map { LargeProgram.keys($0, in: suite) }
      ?? SampleSettings(suite: suite).keys
    Defaults.Command(keys, suite: suite, name: "mytool").main()
  }
}
