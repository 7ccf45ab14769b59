import Defaults
import Foundation
import TestSupport
import Testing

/// Equal independent of the order of its colors, which the archive keeps.
final class ArchivedPalette: NSObject, NSSecureCoding, Sendable {
  static let supportsSecureCoding = true
  let colors: [String]

  init(_ colors: String...) { self.colors = colors }

  init?(coder: NSCoder) {
    guard
      let colors = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "colors")
        as? [String]
    else { return nil }
    self.colors = colors
  }

  func encode(with coder: NSCoder) { coder.encode(colors as NSArray, forKey: "colors") }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? ArchivedPalette).map { Set($0.colors) == Set(colors) } ?? false
  }

  override var hash: Int { Set(colors).hashValue }
}

/// Without `isEqual`, no two objects are equal.
private final class Label: NSObject, Sendable {
  let text: String

  init(_ text: String) { self.text = text }
}

@Suite("Observers of values that are set to equal values")
struct EqualValueTests {
  let suite = Defaults.MemorySuite()
  let sorted = ArchivedPalette("blue", "red")
  let turned = ArchivedPalette("red", "blue")
  let other = ArchivedPalette("green")

  private var palette: Defaults.Key<ArchivedPalette> {
    Defaults.Key("palette", default: sorted, suite: suite)
  }

  private var label: Defaults.Key<Label> {
    Defaults.Key(
      "label", default: Label("a"), coding: .custom(encode: { $0.text }, decode: { Label($0) }),
      suite: suite)
  }

  /// Sets the palette four times; only one of these changes the value.
  private func changeOnce() throws {
    let coding = Defaults.Coding<ArchivedPalette>.archive
    try #require(try coding.encode(sorted) != coding.encode(turned))
    for value in [turned, sorted, turned, other] { try suite.set(value, for: palette) }
  }

  @Test("An observer of an archived object gets no event for an equal object with other bytes")
  func object() throws {
    let seen = Log<[String]>()
    let observation = Defaults.observe(palette, options: [.prior]) {
      seen.append(["\($0.isPrior)"] + $0.newValue.colors)
    }
    try changeOnce()
    #expect(seen.all == [["true", "green"], ["false", "green"]])
    observation.invalidate()
  }

  @Test("An observer of an optional object, or an array, gets no event for an equal value")
  func containers() throws {
    let optional = Defaults.Key<ArchivedPalette?>("optional", suite: suite)
    let array = Defaults.Key<[ArchivedPalette]>(
      "array", default: [sorted], coding: .array(of: .archive), suite: suite)
    let seen = Log<String>()
    let observations: [any Defaults.Observation] = [
      Defaults.observe(optional, options: []) { seen.append("\($0.newValue?.colors ?? [])") },
      Defaults.observe(array, options: []) { seen.append("\($0.newValue.map(\.colors))") },
    ]
    for value in [sorted, turned, nil, turned] { try suite.set(value, for: optional) }
    for value in [[turned], [sorted], [other]] { try suite.set(value, for: array) }
    #expect(
      seen.all == [#"["blue", "red"]"#, "[]", #"["red", "blue"]"#, #"[["green"]]"#])
    for observation in observations { observation.invalidate() }
  }

  @Test("An observer and a stream of several keys get no event for an equal value")
  func keys() async throws {
    let number = Defaults.Key("number", default: 5, suite: suite)
    let calls = Log<Int>()
    let observation = Defaults.observe(keys: palette, number, options: []) { calls.append(1) }
    let stream = Defaults.updates([palette, number], initial: false)
    try changeOnce()
    #expect(calls.all.count == 1)
    suite.set(5.0, forKey: "number")
    #expect(calls.all.count == 1)
    try suite.transaction { draft in
      try draft.set(turned, for: palette)
      try draft.set(6, for: number)
    }
    #expect(calls.all.count == 2)
    var elements = stream.makeAsyncIterator()
    for _ in 0..<2 { #expect(await elements.next() != nil) }
    // Only the following set produces an element.
    suite[number] = 7
    #expect(await elements.next() != nil)
    observation.invalidate()
    #expect(calls.all.count == 3)
  }

  @Test("An observer of several keys is called when a problem appears or disappears")
  func problems() {
    let number = Defaults.Key("number", default: 5, suite: suite)
    let calls = Log<Int>()
    let observation = Defaults.observe(keys: number, options: []) { calls.append(1) }
    suite.set("loud", forKey: "number")
    suite.set("louder", forKey: "number")
    #expect(calls.all.count == 1)
    suite.set(5, forKey: "number")
    #expect(calls.all.count == 2)
    observation.invalidate()
  }

  @Test("A stream of one or several keys gives no element for an equal value")
  func streams() async throws {
    let number = Defaults.Key("number", default: 5, suite: suite)
    var one = Defaults.updates(palette).makeAsyncIterator()
    var tuples = Defaults.updates(palette, number).makeAsyncIterator()
    #expect(await one.next()?.colors == ["blue", "red"])
    #expect(await tuples.next()?.0.colors == ["blue", "red"])
    try changeOnce()
    suite.set("loud", forKey: "number")
    suite.set(5.0, forKey: "number")
    suite[number] = 6
    #expect(await one.next()?.colors == ["green"])
    var element = await tuples.next()
    #expect(element?.0.colors == ["green"] && element?.1 == 5)
    element = await tuples.next()
    #expect(element?.0.colors == ["green"] && element?.1 == 6)
  }

  @Test("Objects without isEqual are equal if their stored forms are")
  func objectsWithoutEquality() throws {
    let seen = Log<String>()
    let observations: [any Defaults.Observation] = [
      Defaults.observe(label, options: []) { seen.append($0.newValue.text) },
      Defaults.observe(keys: label, options: []) { seen.append("keys") },
    ]
    for text in ["a", "b"] { try suite.set(Label(text), for: label) }
    #expect(seen.all == ["b", "keys"])
    for observation in observations { observation.invalidate() }
  }

  @Test("Storing a NaN in place of a default NaN isn't a change")
  func notANumber() throws {
    let ratio = Defaults.Key("ratio", default: Double.nan, suite: suite)
    let seen = Log<Double>()
    let observation = Defaults.observe(ratio, options: []) { seen.append($0.newValue) }
    try suite.set(.nan, for: ratio)
    suite.reset(ratio)
    #expect(seen.all.isEmpty)
    observation.invalidate()
  }

  @Test("With invalid: .skip, an equal object after a problem isn't a change")
  func comesBack() throws {
    try suite.set(Label("b"), for: label)
    let seen = Log<String>()
    let observation = Defaults.observe(label, options: [.initial], invalid: .skip) {
      seen.append($0.newValue.text)
    }
    suite.set(5, forKey: "label")
    try suite.set(Label("b"), for: label)
    try suite.set(Label("c"), for: label)
    #expect(seen.all == ["b", "c"])
    observation.invalidate()
  }
}
