import Foundation

extension Defaults {
  /// A closure that gets events, and the actor on which it runs.
  ///
  /// The closure has the isolation of where it is written: inside of a `@MainActor` class it runs
  /// on the main actor and may use the members of the class; written where there is no actor, it
  /// runs on the thread that delivers. A suite of your own passes it on to its ``SuiteSupport``.
  public struct Handler<Event: Sendable>: Sendable {
    /// nil: the handler runs anywhere.
    let isolation: (any Actor)?
    /// Called on the actor, if there is one.
    let body: @Sendable (Event) -> Void

    /// A closure with the isolation of where it is written.
    public init(@_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Event) -> Void) {
      isolation = body.isolation
      // The cast takes off what the type says of isolation, and changes nothing else: a function
      // value has one form, whoever it is isolated to (SE-0431), and `MainActor.assumeIsolated`
      // does the same. `Observer` calls it on the actor.
      self.body = unsafeBitCast(body, to: (@Sendable (Event) -> Void).self)
    }

    private init(isolation: (any Actor)?, body: @escaping @Sendable (Event) -> Void) {
      self.isolation = isolation
      self.body = body
    }

    /// A handler in the same place, which gets what becomes of other events, if anything does.
    func compactMap<Other>(_ event: @escaping @Sendable (Other) -> Event?) -> Handler<Other> {
      Handler<Other>(isolation: isolation) { [body] other in
        if let event = event(other) { body(event) }
      }
    }
  }
}

/// Events that wait for the actor of a handler.
final class ActorQueue: Sendable {
  /// Marks the main queue. Its jobs are on the main actor, but on Linux not always on the main
  /// thread: where that waits in `dispatchMain`, as in an asynchronous `main`, any thread runs
  /// them.
  private static let mainQueueMark: DispatchSpecificKey<Void> = {
    let mark = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: mark, value: ())
    return mark
  }()

  private let actor: any Actor
  private let waiting = Mailbox<Defaults.Change>()
  private let isScheduled = Lock(false)

  init(_ actor: any Actor) { self.actor = actor }

  /// Runs a handler on the actor, after those before: at once if this is the main actor and the
  /// caller is on it, else in a task, which this doesn't wait for.
  func run(_ change: Defaults.Change, _ handler: @escaping @Sendable (Defaults.Change) -> Void) {
    waiting.put(change)
    if actor === MainActor.shared, Self.isOnMainActor { return waiting.deliver(handler) }
    let mustSchedule = isScheduled.withLock { isScheduled in
      defer { isScheduled = true }
      return !isScheduled
    }
    guard mustSchedule else { return }
    // Detached: a task that inherited the context would count as part of the writer's transaction.
    Task.detached { [self] in
      await runWaiting(on: actor, handler)
    }
  }

  private static var isOnMainActor: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueueMark) != nil
  }

  private func runWaiting(on actor: isolated any Actor, _ handler: (Defaults.Change) -> Void) {
    isScheduled.withLock { $0 = false }
    waiting.deliver(handler)
  }
}
