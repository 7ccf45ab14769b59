import Testing

@testable import Defaults

@Suite("What earlier files had, for whoever started from one of them")
struct GenerationsTests {
  private typealias Edits = [String: Defaults.Edit]

  private func origin(
    _ generations: Generations, of file: Edits, newest: Edits
  ) -> Edits {
    generations.origin(of: { file[$0] ?? .remove }) { newest[$0] ?? .remove }
  }

  @Test("The nearest one is what he started from; of equally near ones the newest")
  func nearest() {
    var generations = Generations()
    generations.advance(from: ["a": .set(1)])
    generations.advance(from: ["b": .set(1)])
    let newest: Edits = ["a": .set(2), "b": .set(2)]
    #expect(origin(generations, of: ["a": .set(2), "b": .set(2)], newest: newest) == [:])
    #expect(
      origin(generations, of: ["a": .set(2), "b": .set(1)], newest: newest) == ["b": .set(1)])
    #expect(
      origin(generations, of: ["a": .set(1), "b": .set(1)], newest: newest)
        == ["a": .set(1), "b": .set(1)])
    // As far from the newest file as from the one before.
    #expect(origin(generations, of: ["a": .set(2), "b": .set(3)], newest: newest) == [:])
    // As far from the one before as from the first.
    #expect(
      origin(generations, of: ["a": .set(3), "b": .set(1)], newest: newest) == ["b": .set(1)])
  }

  @Test("Sixteen files are known if they differ little, and four however much they do")
  func capacity() {
    var small = Generations()
    for number in 0..<20 { small.advance(from: ["n": .set(.integer(Int64(number)))]) }
    #expect(small.differences.count == 16)
    #expect(small.differences.last == ["n": .set(19)])
    var large = Generations()
    let many = Edits(uniqueKeysWithValues: (0..<400).map { ("\($0)", .set(1)) })
    for _ in 0..<6 { large.advance(from: many) }
    #expect(large.differences.count == 4)
    large.advance(from: [:])
    #expect(large.differences.count == 4)
  }
}
