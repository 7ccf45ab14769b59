import Foundation
import Testing

@testable import Defaults

@Suite("A decoded value that threads met at")
struct SharedSlotTests {
  @Test("Each thread keeps a copy of its own, of the generation that was decoded")
  func copies() {
    let slot = DecodedSlot<[Int]>()
    slot.store([1], at: 1)
    #expect(slot.value(at: 1) == [1])
    #expect(!slot.isShared)
    slot.meet()
    // Again: somebody else was first.
    slot.meet()
    #expect(slot.isShared)
    #expect(slot.value(at: 1) == nil)
    slot.store([2], at: 2)
    #expect(slot.value(at: 2) == [2])
    #expect(slot.value(at: 1) == nil)
    #expect(slot.value(at: 3) == nil)
    slot.store([1], at: 1)
    #expect(slot.value(at: 2) == [2])
  }

  @Test("Threads meet where one of them comes while the other one is at it")
  func meeting() {
    let slot = DecodedSlot<[Int]>()
    slot.store([1], at: 1)
    slot.copy.content.pointee.isBusy.store(true, ordering: .relaxed)
    #expect(slot.value(at: 1) == nil)
    #expect(slot.isShared)
    slot.store([1], at: 1)
    #expect(slot.value(at: 1) == [1])
  }

  @Test("An object is never copied: all threads get the same one")
  func objects() {
    final class Object: Sendable {}
    let slot = DecodedSlot<Object>()
    let object = Object()
    slot.store(object, at: 1)
    slot.meet()
    #expect(!slot.isShared)
    #expect(slot.value(at: 1) === object)
  }

  @Test("A reader whose copy is in use takes the next one")
  func busyCopy() {
    let copies = DecodedCopies<[Int]>()
    defer { copies.deallocate() }
    let own = copies.first + DecodedCopies<[Int]>.place
    let next = copies.first + (DecodedCopies<[Int]>.place + 1) % DecodedCopies<[Int]>.count
    own.pointee.store([1], at: 1)
    own.pointee.content.pointee.isBusy.store(true, ordering: .relaxed)
    #expect(copies.value(at: 1) == nil)
    next.pointee.store([2], at: 1)
    #expect(copies.value(at: 1) == [2])
    own.pointee.content.pointee.isBusy.store(false, ordering: .relaxed)
    #expect(copies.value(at: 1) == [1])
  }
}
