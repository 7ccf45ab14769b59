import Defaults
import DefaultsLayers
import Foundation
import Synchronization

/// Layers around the suite of a process in the history campaign. They change constantly, but have
/// no valid values for the campaign's settings.
final class ChangingLayers: Sendable {
  /// The suite for the campaign.
  let suite: Defaults.LayeredSuite

  private let layers = [Layer(), Layer()]
  /// Keys known to the layers, so that the layers recognize their values as invalid.
  private let keys: [Defaults.Key<Int>]
  private let isOver = Atomic(false)
  private let end = DispatchSemaphore(value: 0)

  init(around base: Defaults.StoredSuite, seed: UInt64) throws {
    let suite = try Defaults.LayeredSuite(
      Defaults.Layer("above", layers[0]), .writable(base), Defaults.Layer("below", layers[1]),
      // Invalid values are intended here.
      onIssue: { _ in })
    self.suite = suite
    keys = HistorySettings.all.flatMap(HistorySettings.names).map {
      Defaults.Key<Int>($0, default: 0, suite: suite)
    }
    Thread.detachNewThread { [self] in
      var random = SeededGenerator(seed: seed, lane: 1_000)
      while !isOver.load(ordering: .relaxed) {
        layers.randomElement(using: &random)?.change(using: &random)
        usleep(UInt32.random(in: 0...2_000, using: &random))
      }
      end.signal()
    }
  }

  /// Ends the changes of the layers.
  func finish() {
    isOver.store(true, ordering: .relaxed)
    end.wait()
  }

  /// A layer with random entries.
  private final class Layer: Defaults.LayerSource {
    private struct State {
      var entries: [String: Defaults.PropertyListValue] = [:]
      var changed: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Changes the entries: some names that no other process uses, and invalid values for the
    /// campaign's settings.
    func change(using random: inout SeededGenerator) {
      var entries: [String: Defaults.PropertyListValue] = [:]
      for number in 0..<50 where random.happens(percent: 50) {
        entries["noise\(number)"] = .integer(Int64.random(in: 0...9, using: &random))
      }
      for name in HistorySettings.all.flatMap(HistorySettings.names)
      where random.happens(percent: 50) {
        entries[name] = .string("no number")
      }
      let changed = state.withLock { [entries] state in
        state.entries = entries
        return state.changed
      }
      changed?()
    }

    func load() -> Defaults.LayerContent { .entries(state.withLock { $0.entries }) }

    func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
      state.withLock { $0.changed = changed }
      return nil
    }
  }
}
