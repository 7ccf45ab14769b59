import Defaults
import Foundation
import Synchronization

extension Defaults.SettingsPage {
  /// Returns the changes of settings as server-sent events, if a browser's request asks for them.
  ///
  /// An open page asks for these events, and shows the changes by other programs. A server that can
  /// send an answer piece by piece sends the headers of ``respond(to:)``'s answer, then each text
  /// of the stream. The page also works in any other server: ``respond(to:)`` answers a request for
  /// events with the changes up to now, and the browser asks again after two seconds.
  ///
  /// ```swift
  /// if let events = page.events(for: request) {
  ///   for await event in events { send(event) }
  /// }
  /// ```
  ///
  /// - Returns: The events, each with all changes since the one before; nil if the request doesn't
  ///   ask for events, or isn't allowed. The stream doesn't end by itself, and its reader may be
  ///   slow.
  public func events(for request: Request) -> AsyncStream<String>? {
    guard request.method == "GET", let query = try? request.query, query["events"] != nil,
      respond(to: request).status == 200
    else { return nil }
    let feed = PageFeed(self)
    let start = news(for: request, query)
    let first = Mutex<String?>(start.text)
    return AsyncStream {
      if let text = first.withLock({ $0.take() }) { return text }
      return await feed.next(after: start.state)
    }
  }

  /// The event for a browser that shows an earlier state, and the current state.
  func news(for request: Request, _ query: [String: String]) -> (text: String, state: PageState) {
    let state = PageState(form.settings.map(form.row(of:)))
    let shown = request.header("Last-Event-ID") ?? query["events"]
    // Which rows differ isn't known here, so the browser loads the page.
    return (PageEvent.text(shown == state.digest ? nil : [:], id: state.digest), state)
  }
}

extension Defaults.SettingsPage {
  /// Returns the answer to a request; to a request for changes as soon as there is one.
  func response(to request: Request, waiting patience: Duration) -> Response {
    guard request.method == "GET", let query = try? request.query, query["events"] != nil else {
      return respond(to: request)
    }
    let changed = DispatchSemaphore(value: 0)
    let observation = form.suite.observe(form.observedNames, options: .silent) { _ in
      changed.signal()
    }
    defer { withExtendedLifetime(observation) {} }
    let end = ContinuousClock.now + patience
    while true {
      let response = respond(to: request)
      let rest = end - .now
      guard response.status == 200, rest > .zero,
        news(for: request, query).state.digest == request.header("Last-Event-ID") ?? query["events"]
      else { return response }
      _ = changed.wait(timeout: .now() + .nanoseconds(Int(rest / .nanoseconds(1))))
    }
  }
}

/// A server-sent event.
enum PageEvent {
  /// The text of an event with an object; without one, only how long a browser waits before it asks
  /// again.
  static func text(_ content: [String: Defaults.PropertyListValue]?, id: String) -> String {
    guard let content else { return "retry: 2000\n\n" }
    let json = Defaults.SettingsForm.text(ofJSON: content)
    return "retry: 2000\nid: \(id)\ndata: \(json)\n\n"
  }
}

/// The changes of a form for one reader.
final class PageFeed: Sendable {
  private let page: Defaults.SettingsPage
  private let changes: AsyncStream<Void>
  private let state = Mutex<PageState?>(nil)

  init(_ page: Defaults.SettingsPage) {
    self.page = page
    changes = page.form.changes()
  }

  /// Waits for the next change of a row, and returns its event; nil when the task is cancelled.
  func next(after start: PageState) async -> String? {
    for await _ in changes {
      let rows = page.form.settings.map(page.form.row(of:))
      let new = PageState(rows)
      let old = state.withLock { state in
        defer { state = new }
        return state ?? start
      }
      let changed = new.differences(from: old)
      guard !changed.isEmpty else { continue }
      let json = changed.map { RowMarkup(row: rows[$0], index: $0).json }
      return PageEvent.text(["rows": .array(json)], id: new.digest)
    }
    return nil
  }
}

extension Defaults.SettingsForm {
  /// The changes of the settings. Several are one event, so a slow reader never has more than one
  /// waiting.
  func changes() -> AsyncStream<Void> {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observation = suite.observe(observedNames, options: .silent) { _ in continuation.yield() }
    continuation.onTermination = { _ in withExtendedLifetime(observation) {} }
    return changes
  }

  /// The names that a change of a setting may have.
  var observedNames: Set<String> { Set(settings.flatMap(\.key.allNames)) }
}
