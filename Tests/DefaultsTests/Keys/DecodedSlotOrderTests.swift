import Testing

@testable import Defaults

@Suite("The order of what a key decoded")
struct DecodedSlotOrderTests {
  /// Keeps a new value, then one that a slow reader decoded before it.
  private func overtake<Value: Equatable & Sendable>(
    _ slot: DecodedSlot<Value>, new: Value, old: Value
  ) {
    slot.store(new, at: 4)
    slot.store(old, at: 2)
    #expect(slot.value(at: 4) == new)
    #expect(slot.value(at: 2) == nil)
    slot.store(old, at: 6)
    #expect(slot.value(at: 6) == old)
    #expect(slot.value(at: 4) == nil)
  }

  @Test("A value that was decoded before the present one doesn't take its place, if it is plain")
  func plain() {
    overtake(DecodedSlot<Int>(), new: 1, old: 2)
    overtake(DecodedSlot<Int128>(), new: .max, old: 2)
  }

  @Test("A value that was decoded before the present one doesn't take its place, if it is copied")
  func copied() {
    overtake(DecodedSlot<String>(), new: "new", old: "old")
  }

  @Test("Of two objects that readers decoded of one entry the first one stays")
  func sameGeneration() {
    final class Object: Sendable {}
    let (first, second) = (Object(), Object())
    let slot = DecodedSlot<Object>()
    slot.store(first, at: 2)
    slot.store(second, at: 2)
    #expect(slot.value(at: 2) === first)
    slot.store(second, at: 3)
    #expect(slot.value(at: 3) === second)
  }

  @Test("A reader that finds another thread at the copy decodes by itself, and keeps nothing")
  func busy() {
    let slot = DecodedSlot<[Int]>()
    slot.store([1], at: 1)
    slot.isBusy.store(true, ordering: .relaxed)
    #expect(slot.value(at: 1) == nil)
    slot.store([2], at: 2)
    slot.isBusy.store(false, ordering: .relaxed)
    #expect(slot.value(at: 1) == [1])
    #expect(slot.value(at: 2) == nil)
  }
}
