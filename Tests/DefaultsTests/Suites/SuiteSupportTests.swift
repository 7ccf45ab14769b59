import Testing

@testable import Defaults

@Suite("What suites share")
struct SuiteSupportTests {
  private func change(
    of name: String, _ source: Defaults.Change.Source = .local
  ) -> Defaults.Change {
    Defaults.Change([name: .init(old: nil, new: 1)], source: source)
  }

  @Test("A thread of the library leaves to the setter what this process changed, unless others did")
  func deliveryByLibraryThread() {
    let support = Defaults.SuiteSupport(label: "test")
    let heard = Log<String>()
    let handler = Defaults.Handler<Defaults.Change> { change in
      for name in change.entries.keys { heard.append(name) }
    }
    let token = support.observe(nil, initial: [:], handler)
    support.enqueue(change(of: "mine"))
    support.deliverExternal()
    #expect(heard.all == [])
    support.deliver()
    #expect(heard.all == ["mine"])

    // In the order of the commits: what this process changed before comes first.
    support.enqueue(change(of: "also mine"))
    support.enqueue(change(of: "theirs", .external))
    support.deliverExternal()
    #expect(heard.all == ["mine", "also mine", "theirs"])

    support.enqueue(change(of: "later"))
    support.deliverExternal()
    #expect(heard.all == ["mine", "also mine", "theirs"])
    withExtendedLifetime(token) {}
  }
}
