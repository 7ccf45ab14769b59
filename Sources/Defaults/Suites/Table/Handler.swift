import Foundation

extension Defaults {
  /// A closure that receives events, and the actor on which it runs.
  ///
  /// The closure has the isolation of the surrounding code: in a `@MainActor` class it runs on the
  /// main actor and may use the members of the class. In nonisolated code it runs on the thread
  /// that delivers. A custom suite passes it to its ``SuiteSupport``.
  public struct Handler<Event: Sendable>: Sendable {
    /// The actor; nil if the handler runs on any thread.
    let isolation: (any Actor)?
    /// Called on the actor if there is one.
    let body: @Sendable (Event) -> Void

    /// Creates a handler with the isolation of the surrounding code.
    public init(@_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Event) -> Void) {
      isolation = body.isolation
      // The cast only removes the isolation from the type: function values have one representation
      // for all isolations (SE-0431), and `MainActor.assumeIsolated` does the same. `Observer`
      // calls the function on the actor.
      self.body = unsafeBitCast(body, to: (@Sendable (Event) -> Void).self)
    }

    private init(isolation: (any Actor)?, body: @escaping @Sendable (Event) -> Void) {
      self.isolation = isolation
      self.body = body
    }

    /// Returns a handler with the same isolation that receives transformed events. nil is skipped.
    func compactMap<Other>(_ event: @escaping @Sendable (Other) -> Event?) -> Handler<Other> {
      Handler<Other>(isolation: isolation) { [body] other in
        if let event = event(other) { body(event) }
      }
    }
  }
}

/// Events that wait for the actor of a handler.
final class ActorQueue: Sendable {
  /// A mark of the main queue. Its jobs run on the main actor, but on Linux not always on the main
  /// thread: while the main thread waits in `dispatchMain`, as in an asynchronous `main`, other
  /// threads run the jobs.
  private static let mainQueueMark: DispatchSpecificKey<Void> = {
    let mark = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: mark, value: ())
    return mark
  }()

  /// The time after which other code of the actor may run, in nanoseconds: less than half a frame
  /// of a screen.
  private static let turn: UInt64 = 4_000_000

  private let actor: any Actor
  private let waiting = Mailbox<Defaults.Change>()
  private let isScheduled = Lock(false)

  init(_ actor: any Actor) { self.actor = actor }

  /// Runs a handler on the actor, after earlier events. If the actor is the main actor and the
  /// caller is on it, the handler runs at once. Otherwise it runs in a task, and the call doesn't
  /// wait.
  func run(_ change: Defaults.Change, _ handler: @escaping @Sendable (Defaults.Change) -> Void) {
    waiting.put(change)
    if actor === MainActor.shared,
      Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainQueueMark) != nil
    {
      waiting.deliver(handler)
      return
    }
    if isScheduled.exchange(true) { return }
    // Detached, since a task with the inherited context would be part of the writer's transaction.
    Task.detached { [self] in
      await runWaiting(on: actor, handler)
    }
  }

  private func runWaiting(
    on actor: isolated any Actor, _ handler: (Defaults.Change) -> Void
  ) async {
    while true {
      isScheduled.withLock { $0 = false }
      let end = MonotonicClock.now + Self.turn
      let isDone = waiting.deliver(while: { MonotonicClock.now < end }, handler)
      // Another task may have been scheduled meanwhile, and continues.
      if isDone || isScheduled.exchange(true) { return }
      await Task.yield()
    }
  }
}
