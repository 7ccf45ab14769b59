#if canImport(Combine)
  import Combine
  import Defaults
  import Dispatch
  import Testing

  /// Runs only where Combine is available. Was also run on Linux with OpenCombine instead.
  @Suite("Combine publishers")
  struct PublisherTests {
    private let suite: Defaults.MemorySuite
    private let volume: Defaults.Key<Int>
    private let name: Defaults.Key<String?>

    init() {
      suite = Defaults.MemorySuite()
      volume = Defaults.Key("volume", default: 5, suite: suite)
      name = Defaults.Key("name", suite: suite)
    }

    @Test("A publisher sends the current value and each change until the subscription is canceled")
    func changes() {
      var changes: [[Int]] = []
      let publisher: AnyPublisher<Defaults.KeyChange<Int>, Never> = Defaults.publisher(volume)
      #expect(!suite.support.isObserved("volume"))
      let cancellable = publisher.sink { changes.append([$0.oldValue, $0.newValue]) }
      Defaults[volume] = 6
      Defaults[volume] = 6
      Defaults.withoutPropagation { Defaults[volume] = 7 }
      Defaults[volume] = 8
      #expect(changes == [[5, 5], [5, 6], [7, 8]])

      cancellable.cancel()
      Defaults[volume] = 9
      #expect(changes.count == 3)
      #expect(!suite.support.isObserved("volume"))
    }

    @Test("A publisher accepts the options of an observation")
    func options() {
      var isPrior: [Bool] = []
      let cancellable = Defaults.publisher(volume, options: [.prior])
        .sink { isPrior.append($0.isPrior) }
      Defaults[volume] = 6
      #expect(isPrior == [true, false])
      cancellable.cancel()
    }

    @Test("A publisher buffers the newest 64 changes until they are demanded")
    func demand() throws {
      let probe = Probe<Defaults.KeyChange<Int>>(demand: .max(1))
      Defaults.publisher(volume).subscribe(probe)
      for value in 1...100 { Defaults[volume] = value }
      #expect(probe.inputs.map(\.newValue) == [5])
      let subscription = try #require(probe.subscription)
      subscription.request(.max(2))
      #expect(probe.inputs.map(\.newValue) == [5, 37, 38])
      subscription.request(.unlimited)
      #expect(probe.inputs.map(\.newValue) == [5] + Array(37...100))
      subscription.cancel()
      Defaults[volume] = 0
      subscription.request(.unlimited)
      #expect(probe.inputs.count == 65)
    }

    @Test("A subscriber may write, demand and cancel while it receives a change")
    func reentrance() throws {
      let probe = Probe<Defaults.KeyChange<Int>>(demand: .max(1))
      probe.onInput = { probe in
        if Defaults[volume] == 10 { return probe.subscription?.cancel() ?? () }
        probe.subscription?.request(.max(1))
        Defaults[volume] += 1
      }
      Defaults.publisher(volume).subscribe(probe)
      #expect(probe.inputs.map(\.newValue) == Array(5...10))
      #expect(!suite.support.isObserved("volume"))
    }

    @Test("A publisher of several keys sends once per transaction and once for all missed changes")
    func severalKeys() throws {
      let other = Defaults.MemorySuite()
      let theme = Defaults.Key("theme", default: "light", suite: other)
      let probe = Probe<Void>(demand: .unlimited)
      Defaults.publisher(keys: volume, name, theme).subscribe(probe)
      try suite.transaction { draft in
        draft[volume] = 1
        draft[name] = "x"
      }
      Defaults[theme] = "dark"
      #expect(probe.inputs.count == 3)
      try #require(probe.subscription).cancel()
      Defaults[theme] = "light"
      Defaults[name] = nil
      #expect(probe.inputs.count == 3)

      let slow = Probe<Void>(demand: .none)
      Defaults.publisher(keys: [volume, theme], options: []).subscribe(slow)
      for value in 2...9 { Defaults[volume] = value }
      try #require(slow.subscription).request(.unlimited)
      #expect(slow.inputs.count == 1)
      try #require(slow.subscription).cancel()
    }

    @Test("A publisher calls its subscriber serially and in order when two threads write")
    func threads() throws {
      let other = Defaults.Key("other", default: 0, suite: Defaults.MemorySuite())
      // Without synchronization these would lose elements, and the thread sanitizer would report
      // them.
      let changes = Probe<Defaults.KeyChange<Int>>(demand: .unlimited)
      Defaults.publisher(volume).subscribe(changes)
      let told = Probe<Void>(demand: .max(1), more: .max(1))
      Defaults.publisher(keys: volume, other).subscribe(told)
      DispatchQueue.concurrentPerform(iterations: 2) { [volume] index in
        for _ in 0..<1_000 {
          _ = try? Defaults.update(volume) { $0 += 1 }
          if index == 0 { Defaults[other] += 1 }
        }
      }
      #expect(changes.inputs.map(\.newValue) == Array(5...2_005))
      #expect((2...3_001).contains(told.inputs.count))
      try #require(changes.subscription).cancel()
      try #require(told.subscription).cancel()
    }
  }

  /// A subscriber that records its inputs.
  private final class Probe<Input>: Subscriber {
    typealias Failure = Never

    private(set) var subscription: (any Subscription)?
    private(set) var inputs: [Input] = []
    var onInput: ((Probe) -> Void)?
    private let demand: Subscribers.Demand
    private let more: Subscribers.Demand

    /// Requests `demand` at the beginning and `more` with each input.
    init(demand: Subscribers.Demand, more: Subscribers.Demand = .none) {
      self.demand = demand
      self.more = more
    }

    func receive(subscription: any Subscription) {
      self.subscription = subscription
      if demand > .none { subscription.request(demand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      inputs.append(input)
      onInput?(self)
      return more
    }

    func receive(completion: Subscribers.Completion<Never>) {}
  }
#endif
