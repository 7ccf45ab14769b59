import Defaults
import Foundation
import TestSupport
import Testing

@Suite("In-place changes of values")
struct KeyMutationTests {
  let suite = Defaults.MemorySuite()

  @Test("Operators and mutating methods work through the subscript")
  func operators() {
    let count = Defaults.Key("count", default: 40, suite: suite)
    let isOn = Defaults.Key("isOn", default: false, suite: suite)
    let list = Defaults.Key("list", default: [3, 1], suite: suite)
    let set = Defaults.Key<Set<String>>("set", default: [], suite: suite)
    let text = Defaults.Key("text", default: "a", suite: suite)
    Defaults[count] += 2
    Defaults[isOn].toggle()
    Defaults[list].append(2)
    Defaults[list].sort()
    Defaults[set].insert("x")
    Defaults[text] += "b"
    suite[text].append("c")
    #expect(Defaults[count] == 42)
    #expect(Defaults[isOn])
    #expect(Defaults[list] == [1, 2, 3])
    #expect(Defaults[set] == ["x"])
    #expect(Defaults[text] == "abc")
  }

  @Test("An update to a value that can't be stored throws and changes nothing")
  func unrepresentable() throws {
    let tooDeep = (0...Defaults.PropertyListValue.maximumDepth)
      .reduce(Defaults.PropertyListValue.integer(1)) { value, _ in [value] }
    let key = Defaults.Key<Defaults.PropertyListValue>("tree", default: 0, suite: suite)
    Defaults[key] = 1
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.update(key) { $0 = tooDeep }
    }
    #expect(error?.code == .unrepresentable)
    #expect(Defaults[key] == 1)
  }

  @Test("Parts of a value are changed through nested subscripts and properties")
  func nestedSubscripts() {
    let dictionary = Defaults.Key<[String: [Int]]>("dictionary", default: ["a": [0]], suite: suite)
    Defaults[dictionary]["a"]?.append(1)
    Defaults[dictionary]["b", default: []].append(2)
    Defaults[dictionary]["c"]?.append(3)
    #expect(Defaults[dictionary] == ["a": [0, 1], "b": [2]])
    Defaults[dictionary]["a"] = nil
    #expect(suite.object(forKey: "dictionary") == ["b": [2]])

    let window = Defaults.Key(
      "window", default: Window(title: "Main", size: [640, 480]), suite: suite)
    Defaults[window].title = "Other"
    Defaults[window].size[1] = 200
    #expect(Defaults[window] == Window(title: "Other", size: [640, 200]))
  }

  @Test("An optional value is changed in place only if it exists")
  func optionals() {
    let limit = Defaults.Key<Int?>("limit", suite: suite)
    Defaults[limit]? += 1
    #expect(Defaults[limit] == nil)
    #expect(suite.names == [])
    Defaults[limit] = 1
    Defaults[limit]? += 1
    #expect(Defaults[limit] == 2)
  }

  @Test("An in-place change to an equal value isn't a change")
  func equalValue() {
    let list = Defaults.Key("list", default: [1], suite: suite)
    Defaults[list] = [1]
    let seen = Log<[Int]>()
    let observation = Defaults.observe(list, options: []) { seen.append($0.newValue) }
    Defaults[list].sort()
    #expect(seen.all == [])
    Defaults[list].append(2)
    #expect(seen.all == [[1, 2]])
    observation.invalidate()
  }

  @Test("A setting can be passed inout")
  func inoutArgument() {
    let key = Defaults.Key("x", default: 1, suite: suite)
    let other = Defaults.Key("y", default: 2, suite: suite)
    swap(&Defaults[key], &Defaults[other])
    #expect((Defaults[key], Defaults[other]) == (2, 1))
  }

  @Test("A value of type any Suite has subscripts and in-place changes")
  func existentialSuite() {
    let anySuite: any Defaults.Suite = suite
    let key = Defaults.Key("x", default: 1, suite: anySuite)
    anySuite[key] += 1
    #expect(anySuite[key] == 2)
    #expect(key.suite[key] == 2)
  }

  @Test("A suite accepts a key of another suite and uses its own entry")
  func foreignKeys() {
    let other = Defaults.MemorySuite()
    let key = Defaults.Key("x", default: 1, suite: suite)
    other[key] += 10
    #expect(other[key] == 11)
    #expect(other.integer(forKey: "x") == 11)
    #expect(suite[key] == 1)
    #expect(suite.names == [])
    suite[key] = 2
    #expect(other[key] == 11)
    #expect(other.contains(key))
    other.reset(key)
    #expect(other[key] == 1)
    #expect(suite[key] == 2)
  }

  @Test("If a suite reads the key of another suite, the reading suite reports the issues")
  func foreignIssues() {
    let issues = IssueLog()
    let other = Defaults.MemorySuite(["x": "text"]) { issues.append($0) }
    let key = Defaults.Key("x", default: 1, suite: suite)
    #expect(other[key] == 1)
    #expect(issues.codes == [.undecodable])
    #expect(throws: Defaults.SuiteError.self) { try other.value(for: key) }
    #expect(throws: Never.self) { try suite.value(for: key) }
  }
}

private struct Window: Codable, Defaults.Serializable, Equatable {
  var title: String
  var size: [Int]
}
