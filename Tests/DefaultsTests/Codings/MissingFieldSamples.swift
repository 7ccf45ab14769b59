import Defaults
import Foundation

/// A window as an earlier version of the program stored it.
struct OldWindow: Codable, Sendable {
  var title = "Main"
  var icon: Data?
}

/// A window with properties that the earlier version didn't have.
struct GrownWindow: Codable, Equatable, Sendable {
  var title = "Untitled"
  var icon: Data? = Data([1])
  var zoom = 0.1
  var amount = Decimal(string: "0.1234567890123456789") ?? 0
  var panes = [Pane()]
  var frame = Frame()

  struct Pane: Codable, Equatable, Sendable { var width = 5 }
  struct Frame: Codable, Equatable, Sendable, Hashable {
    var x = 1
    var y = UInt64.max
  }
}

/// A server with a new `port` property.
struct GrownServer: Codable, Hashable, Sendable, Defaults.Serializable {
  var host = "localhost"
  var port = 80
  var note: String?
}
