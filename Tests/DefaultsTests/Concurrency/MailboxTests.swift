import Dispatch
import Synchronization
import Testing

@testable import Defaults

@Suite("The ordered mailbox")
struct MailboxTests {
  private let mailbox = Mailbox<Int>()

  @Test("Elements are handed over in the order in which they were put in, and once")
  func order() {
    let seen = Log<Int>()
    for number in 1...3 { mailbox.put(number) }
    mailbox.deliver { seen.append($0) }
    mailbox.deliver { seen.append($0) }
    #expect(seen.all == [1, 2, 3])
  }

  @Test("What a receiver puts in comes after it, and not inside of it")
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

  @Test("Of many threads one hands over at a time, and nothing stays behind")
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
