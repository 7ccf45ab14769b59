import TestSupport
import Testing

@testable import Defaults

@Suite("Declarations of a suite's keys")
struct KeyDefaultsTests {
  private final class NamedKey: DeclaredKey {
    let name: String
    var allNames: [String] { [name] }

    init(_ name: String) { self.name = name }

    func redact(in support: Defaults.SuiteSupport) {}
  }

  @Test("A handler for marked keys stays if it was added while two calls ended another handler")
  func handlers() {
    let declarations = KeyDefaults()
    let calls = Log<String>()
    declarations.whenMarked {
      calls.append("ended")
      if calls.count == 1 {
        declarations.addMarked(NamedKey("b"))
        declarations.whenMarked {
          calls.append("added")
          return true
        }
      }
      return false
    }
    declarations.addMarked(NamedKey("a"))
    #expect(calls.all == ["ended", "ended"])
    declarations.addMarked(NamedKey("c"))
    #expect(calls.all == ["ended", "ended", "added"])
  }
}
