import Testing

@testable import Defaults

@Suite("Order of decoded values in a slot")
struct DecodedSlotOrderTests {
  /// Stores a new value, then an older one that a slow reader decoded.
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

  @Test("A slot keeps its plain value if a slow reader stores an older value")
  func plain() {
    overtake(DecodedSlot<Int>(), new: 1, old: 2)
    overtake(DecodedSlot<Int128>(), new: .max, old: 2)
  }

  @Test("A slot keeps its copied value if a slow reader stores an older value")
  func copied() {
    overtake(DecodedSlot<String>(), new: "new", old: "old")
  }

  @Test("The first of two objects decoded from one entry is kept")
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

  @Test("A reader that finds the slot busy decodes the entry itself and stores nothing")
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
