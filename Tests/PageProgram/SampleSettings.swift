import Defaults
import Foundation

/// Settings with each kind of control.
package struct SampleSettings: Defaults.Schema {
  @Stored(.about("Whether the window opens at login")) var launchAtLogin = false
  @Stored(.in(0...11), .about("Loudness")) var volume = 5
  @Stored(.about("The colors of the window")) var theme = Theme.system
  @Stored var nickname: String?
  @Stored(.secret, .about("The key of the service")) var apiToken: String?
  var editor = Editor()
  var advanced = Advanced()

  package init() {}

  enum Theme: String, CaseIterable, Defaults.Serializable {
    case system, light, dark
  }

  struct Editor: Defaults.Schema {
    @Stored(.in(1...16), .about("The number of spaces of a tab")) var tabWidth = 4
    @Stored(.in(0...1)) var cursorBlink = 0.5
    @Stored(.choices(["serif", "mono"])) var font = "mono"
    @Stored var rulers = [80, 100]
    @Stored var showsMinimap: Bool?
  }

  struct Advanced: Defaults.Schema {
    @Stored var headers: [String: String] = [:]
    @Stored var expires = Date(timeIntervalSinceReferenceDate: 0)
    @Stored var timeout = Duration.seconds(90)
    @Stored(.check("must be even") { $0.isMultiple(of: 2) }) var step = 2
    @Stored var window = Window()
  }

  struct Window: Codable, Equatable, Defaults.Serializable {
    var width = 800
    var height = 600
  }
}
