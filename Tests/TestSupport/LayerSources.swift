import Defaults
import DefaultsLayers
import Synchronization

/// A source whose entries a test changes.
package final class Manual: Defaults.LayerSource {
  private struct State {
    var entries: [String: Defaults.PropertyListValue] = [:]
    var error: (any Error)?
    var changed: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init(_ entries: [String: Defaults.PropertyListValue] = [:]) {
    state.withLock { $0.entries = entries }
  }

  package var isWatched: Bool { state.withLock { $0.changed != nil } }

  package func set(_ entries: [String: Defaults.PropertyListValue]) {
    let changed = state.withLock { state in
      (state.entries, state.error) = (entries, nil)
      return state.changed
    }
    changed?()
  }

  package func fail(_ error: any Error) {
    let changed = state.withLock { state in
      state.error = error
      return state.changed
    }
    changed?()
  }

  package func load() throws -> Defaults.LayerContent {
    try state.withLock { state in
      if let error = state.error { throw error }
      return .entries(state.entries)
    }
  }

  package func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    state.withLock { $0.changed = changed }
    return Token(source: self)
  }

  private final class Token: Sendable {
    let source: Manual
    init(source: Manual) { self.source = source }
    deinit {
      let closure = source.state.withLock { state in
        defer { state.changed = nil }
        return state.changed
      }
      withExtendedLifetime(closure) {}
    }
  }
}

/// A source of entries that never change.
package struct Policy: Defaults.LayerSource {
  private let entries: [String: Defaults.PropertyListValue]

  package init(entries: [String: Defaults.PropertyListValue]) { self.entries = entries }

  package func load() -> Defaults.LayerContent { .entries(entries) }
}
