import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Keys of settings in UserDefaults", .needsUserDefaults)
struct KeyOnUserDefaultsTests {
  let domain: UserDefaultsDomain
  let userDefaults: UserDefaults

  init() throws {
    domain = try UserDefaultsDomain()
    userDefaults = try domain.open()
  }

  @Test("A UserDefaults object can be a key's suite")
  func suite() {
    let flag = Defaults.Key<Bool>("flag", default: true, suite: userDefaults)
    let name = Defaults.Key<String?>("name", suite: userDefaults)
    let count = Defaults.Key<Int>("count", suite: userDefaults) { 5 }
    let user = Defaults.Key("user", default: Plain(), suite: .userDefaults(userDefaults))
    #expect(Defaults[flag])
    Defaults[flag] = false
    Defaults[name] = "Bo"
    Defaults[count] += 1
    Defaults[user] = Plain(x: 1)
    #expect(userDefaults.object(forKey: "flag") as? Bool == false)
    #expect(userDefaults.string(forKey: "name") == "Bo")
    #expect(userDefaults.integer(forKey: "count") == 6)
    #expect(userDefaults.string(forKey: "user") == #"{"x":1}"#)
    #expect(flag == Defaults.Key("flag", default: true, suite: userDefaults))
    #expect(Defaults.UserDefaultsSuite(userDefaults)[flag] == false)
    Defaults.reset("flag", suite: .userDefaults(userDefaults))
    #expect(Defaults[flag])
    // As in later versions of the first seed.
    Defaults[flag] = false
    Defaults.reset("flag", "count", suite: userDefaults)
    #expect(Defaults[flag] && Defaults[count] == 5)
    Defaults[flag] = false
    Defaults.reset(["flag", "user"], suite: userDefaults)
    #expect(Defaults[flag] && Defaults[user] == Plain())
    Defaults.removeAll(suite: userDefaults)
    #expect(Defaults[name] == nil)
  }

  private struct Plain: Codable, Equatable {
    var x = 0
  }

  @Test("The suite .standard is the program's suite")
  func standard() {
    let suite = Defaults.MemorySuite()
    Defaults.withSuite(suite) {
      let key = Defaults.Key("is standard", default: 0, suite: .standard)
      Defaults[key] = 1
      #expect(suite.integer(forKey: "is standard") == 1)
      let optional = Defaults.Key<Int?>("optional", suite: .standard)
      Defaults[optional] = 2
      #expect(suite.integer(forKey: "optional") == 2)
    }
    #expect(UserDefaults.standard.object(forKey: "is standard") == nil)
  }

  @Test("A key as a subscript of UserDefaults doesn't compile and the error has the replacement")
  func subscripts() throws {
    let messages = try Compiler.messages(
      for: """
        import Defaults
        import Foundation
        extension Defaults.Keys { static let isUnicorn = Key<Bool>("isUnicorn", default: true) }
        print(UserDefaults.standard[.isUnicorn])
        """)
    #expect(messages.count == 1)
    #expect(messages.first?.text.contains("write `Defaults[key]`") == true, "\(messages)")
  }
}
