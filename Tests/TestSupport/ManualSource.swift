import Defaults
import DefaultsLayers
import Synchronization

/// A source whose entries a test changes.
final class Manual: Defaults.LayerSource {
  private struct State {
    var entries: [String: Defaults.PropertyListValue] = [:]
    var error: (any Error)?
    var changed: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  init(_ entries: [String: Defaults.PropertyListValue] = [:]) {
    state.withLock { $0.entries = entries }
  }

  var isWatched: Bool { state.withLock { $0.changed != nil } }

  func set(_ entries: [String: Defaults.PropertyListValue]) {
    let changed = state.withLock { state in
      (state.entries, state.error) = (entries, nil)
      return state.changed
    }
    changed?()
  }

  func fail(_ error: any Error) {
    let changed = state.withLock { state in
      state.error = error
      return state.changed
    }
    changed?()
  }

  func load() throws -> Defaults.LayerContent {
    try state.withLock { state in
      if let error = state.error { throw error }
      return .entries(state.entries)
    }
  }

  func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
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
