import Defaults

/// The settings of a large program, of the usual kinds.
package enum LargeProgram {
  private static let groups = [
    "editor", "window", "network", "search", "files", "terminal", "debug", "extensions", "updates",
    "accounts",
  ]
  private static let nouns = [
    "tabWidth", "fontSize", "wordWrap", "autoSave", "lineHeight", "encoding", "proxyHost",
    "maxItems", "colorTheme", "timeout",
  ]

  /// The keys of settings in a suite: half of them bools and texts, the others numbers and choices.
  package static func keys(_ count: Int, in suite: some Defaults.Suite) -> [Defaults.AnyKey] {
    (0..<count).map { index in
      let name = "\(groups[index / 10 % 10]).\(nouns[index % 10])\(index / 100)"
      let about = "How the \(nouns[index % 10]) of the program behaves"
      return switch index % 4 {
      case 0: Defaults.Key<Bool>(name, default: false, suite: suite, .about(about))
      case 1: Defaults.Key<Int>(name, default: 4, suite: suite, .in(0...100), .about(about))
      case 2: Defaults.Key<String>(name, default: "text", suite: suite, .about(about))
      default:
        Defaults.Key<String>(
          name, default: "auto", suite: suite, .choices(["auto", "on", "off"]), .about(about))
      }
    }
  }
}
