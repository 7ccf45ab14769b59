import Defaults
import Foundation
import Testing

extension Defaults.SuiteRequirement {
  /// Requirements on silenced changes, and on the end of observations.
  static let ofSilence: [Self] = [
    Self(
      10, "A change without propagation notifies no observer; every other change notifies them",
      silence),
    Self(
      10, "Changes of a thread are reported while another thread is silent",
      silenceIsOfTheScope),
    Self(
      10, "Changes of a task that outlives the silent scope are reported again",
      silenceEnds),
    Self(
      9, "A slow reader of a stream loses the oldest values, never the newest",
      lag),
    Self(
      9, "Canceling the task that reads a stream ends the observation immediately",
      cancellation),
    Self(
      9, "Releasing a stream ends the observation",
      release),
  ]

  private static func silence(_ subject: Defaults.SuiteUnderTest) async throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<[Int]>()
    let observation = Defaults.observe(key, options: []) {
      seen.append([$0.oldValue, $0.newValue])
    }
    Defaults.withoutPropagation {
      Defaults[key] = 1
      Defaults.withoutPropagation { Defaults[key] = 2 }
      Defaults[key] = 3
    }
    #expect(seen.count == 0)
    Defaults[key] = 4
    #expect(seen.all == [[3, 4]])
    await Defaults.withoutPropagation {
      Defaults[key] = 5
      await withTaskGroup { group in
        group.addTask { Defaults[key] = 6 }
      }
    }
    #expect(seen.all == [[3, 4]])
    Defaults[key] = 7
    #expect(seen.all == [[3, 4], [6, 7]])
    observation.invalidate()
  }

  private static func silenceIsOfTheScope(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    Defaults.withoutPropagation {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Defaults[key] = 1
        done.signal()
      }
      done.wait()
    }
    #expect(seen.all == [1])
    observation.invalidate()
  }

  private static func silenceEnds(_ subject: Defaults.SuiteUnderTest) async throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let task = Defaults.withoutPropagation {
      Task {
        for await _ in gate {}
        Defaults[key] = 1
      }
    }
    opening.finish()
    await task.value
    #expect(seen.all == [1])
    observation.invalidate()
  }

  private static func lag(_ subject: Defaults.SuiteUnderTest) async throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
    let stream = Defaults.updates(key)
    for number in 1...100 { Defaults[key] = number }
    var values: [Int] = []
    for await value in stream {
      values.append(value)
      if value == 100 { break }
    }
    #expect(values == Array(37...100))
  }

  private static func cancellation(_ subject: Defaults.SuiteUnderTest) async throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: Tracked(), suite: suite)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in Defaults.updates(key) { start.yield() }
    }
    for await _ in started { break }
    task.cancel()
    await task.value
    #expect(!suite.support.isObserved("x"))
  }

  private static func release(_ subject: Defaults.SuiteUnderTest) async throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
    do {
      let stream = Defaults.updates(key)
      #expect(suite.support.isObserved("x"))
      for await _ in stream { break }
    }
    #expect(!suite.support.isObserved("x"))
  }
}

private struct Tracked: Codable, Defaults.Serializable {}
