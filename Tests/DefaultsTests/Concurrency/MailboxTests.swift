import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Defaults

@Suite("The ordered mailbox")
struct MailboxTests {
  private let mailbox = Mailbox<Int>()

  @Test("A mailbox delivers each element once and in order")
  func order() {
    let seen = Log<Int>()
    for number in 1...3 { mailbox.put(number) }
    mailbox.deliver { seen.append($0) }
    mailbox.deliver { seen.append($0) }
    #expect(seen.all == [1, 2, 3])
  }

  @Test("An element that a receiver adds to the mailbox is delivered after the receiver returns")
  func nesting() {
    let seen = Log<Int>()
    func receive(_ number: Int) {
      seen.append(number)
      if number < 3 { mailbox.put(number + 1) }
      mailbox.deliver(receive)
      seen.append(-number)
    }
    mailbox.put(1)
    mailbox.deliver(receive)
    #expect(seen.all == [1, -1, 2, -2, 3, -3])
  }

  @Test("One thread at a time delivers from a mailbox, and no element is left behind")
  func contention() {
    let seen = Log<Int>()
    let receivers = Mutex(0)
    let order = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<500 {
        order.withLock { number in
          number += 1
          mailbox.put(number)
        }
        mailbox.deliver { number in
          let others = receivers.withLock { count in
            defer { count += 1 }
            return count
          }
          #expect(others == 0)
          seen.append(number)
          receivers.withLock { $0 -= 1 }
        }
      }
    }
    #expect(seen.all == Array(1...4_000))
  }
}
