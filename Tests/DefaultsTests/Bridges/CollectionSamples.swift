import Defaults

struct Bag<Element: Defaults.Serializable>: Collection {
  var items: [Element]
  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }
  func index(after index: Int) -> Int { items.index(after: index) }
  subscript(position: Int) -> Element { items[position] }
}

extension Bag: Defaults.CollectionSerializable {
  init(_ elements: [Element]) { items = elements }
}

/// Keeps only the first of equal elements, so some arrays can't be read.
struct Firsts: Defaults.CollectionSerializable {
  private let items: [Int]
  init(_ elements: [Int]) {
    items = elements.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }
  func index(after index: Int) -> Int { items.index(after: index) }
  subscript(position: Int) -> Int { items[position] }
}

struct SetBag<Element: Defaults.Serializable & Hashable>: SetAlgebra {
  var store = Set<Element>()
  init() {}
  init(_ store: Set<Element>) { self.store = store }
  func contains(_ member: Element) -> Bool { store.contains(member) }
  func union(_ other: SetBag) -> SetBag { SetBag(store.union(other.store)) }
  func intersection(_ other: SetBag) -> SetBag { SetBag(store.intersection(other.store)) }
  func symmetricDifference(_ other: SetBag) -> SetBag {
    SetBag(store.symmetricDifference(other.store))
  }
  @discardableResult
  mutating func insert(_ member: Element) -> (inserted: Bool, memberAfterInsert: Element) {
    store.insert(member)
  }
  mutating func remove(_ member: Element) -> Element? { store.remove(member) }
  mutating func update(with member: Element) -> Element? { store.update(with: member) }
  mutating func formUnion(_ other: SetBag) { store.formUnion(other.store) }
  mutating func formIntersection(_ other: SetBag) { store.formIntersection(other.store) }
  mutating func formSymmetricDifference(_ other: SetBag) {
    store.formSymmetricDifference(other.store)
  }
}

extension SetBag: Defaults.SetAlgebraSerializable {
  func toArray() -> [Element] { Array(store) }
}

/// A set algebra that forwards to a set of integers.
protocol ForwardingSet: SetAlgebra where Element == Int, ArrayLiteralElement == Int {
  var store: Set<Int> { get set }
}

extension ForwardingSet {
  private func with(_ store: Set<Int>) -> Self {
    var copy = self
    copy.store = store
    return copy
  }
  func contains(_ member: Int) -> Bool { store.contains(member) }
  func union(_ other: Self) -> Self { with(store.union(other.store)) }
  func intersection(_ other: Self) -> Self { with(store.intersection(other.store)) }
  func symmetricDifference(_ other: Self) -> Self { with(store.symmetricDifference(other.store)) }
  @discardableResult
  mutating func insert(_ member: Int) -> (inserted: Bool, memberAfterInsert: Int) {
    store.insert(member)
  }
  mutating func remove(_ member: Int) -> Int? { store.remove(member) }
  mutating func update(with member: Int) -> Int? { store.update(with: member) }
  mutating func formUnion(_ other: Self) { store.formUnion(other.store) }
  mutating func formIntersection(_ other: Self) { store.formIntersection(other.store) }
  mutating func formSymmetricDifference(_ other: Self) {
    store.formSymmetricDifference(other.store)
  }
  func toArray() -> [Int] { Array(store) }
}
