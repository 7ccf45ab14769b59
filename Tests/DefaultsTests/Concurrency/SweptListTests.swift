import Testing

@testable import Defaults

@Suite("Lists that remove expired elements")
struct SweptListTests {
  private final class Element {
    var isUseless = false
  }

  private func add(_ element: Element, to list: inout SweptList<Element>) {
    _ = list.sweep { $0.isUseless }
    list.append(element)
  }

  @Test("A list stays short if its elements expire immediately")
  func uselessAtOnce() {
    var list = SweptList<Element>()
    for _ in 0..<10_000 {
      let element = Element()
      add(element, to: &list)
      element.isUseless = true
      #expect(list.elements.count == 1)
    }
  }

  enum Death: CaseIterable { case oldest, newest, random, justExamined }

  @Test(
    "A list holds at most twice the elements in use, in whichever order elements expire",
    arguments: Death.allCases)
  func bound(death: Death) {
    var list = SweptList<Element>()
    var used: [Element] = []
    var longest = 0
    for _ in 0..<10_000 {
      var examined: Element?
      _ = list.sweep { element in
        if !element.isUseless { examined = element }
        return element.isUseless
      }
      let element = Element()
      list.append(element)
      used.append(element)
      longest = max(longest, list.elements.count)
      guard used.count > 100 else { continue }
      let index =
        switch death {
        case .oldest: 0
        case .newest: used.count - 1
        case .random: used.indices.randomElement() ?? 0
        case .justExamined: used.firstIndex { $0 === examined } ?? 0
        }
      used.remove(at: index).isUseless = true
    }
    #expect(longest <= 2 * 101)
    #expect(used.allSatisfy { element in list.elements.contains { $0 === element } })
  }

  @Test("A list with expired elements shrinks at later additions and releases memory")
  func shrinking() {
    var list = SweptList<Element>()
    let elements = (0..<10_000).map { _ in Element() }
    for element in elements { add(element, to: &list) }
    for element in elements { element.isUseless = true }
    for _ in 0..<10_000 {
      let element = Element()
      element.isUseless = true
      add(element, to: &list)
    }
    #expect(list.elements.count == 1)
    #expect(list.elements.capacity <= 64)
  }
}
