import Defaults
import Foundation
import TestSupport
import Testing

// A small app for the first generation, with its observers unchanged: main-actor classes whose
// handlers use `self`. Only its keys are in a suite in memory.

private let samples = Defaults.MemorySuite(label: "a main-actor app")

extension Defaults.Keys {
  fileprivate static let isUnicornMode = Key<Bool>(
    "isUnicornMode", default: false, suite: samples)
  fileprivate static let quality = Key<Double>("quality", default: 0.8, suite: samples)
  fileprivate static let lastOpened = OptionalKey<String>("lastOpened", suite: samples)
}

/// The menu bar item: has the mode, and is notified of each change.
@MainActor
private final class StatusItem {
  var title = ""
  var history: [String] = []

  init() {
    Defaults.observe(.isUnicornMode) { change in
      self.title = change.newValue ? "🦄" : "🐴"
      self.history.append("\(change.oldValue) \(change.newValue)")
    }.tieToLifetime(of: self)
  }
}

/// A window: redraws when one of its settings changes, until it is closed.
@MainActor
private final class Window {
  var redraws = 0
  let atEnd: @Sendable () -> Void

  init(atEnd: @escaping @Sendable () -> Void) {
    self.atEnd = atEnd
    Defaults.observe(keys: .isUnicornMode, .quality, options: []) { [weak self] in
      self?.redraw()
    }.tieToLifetime(of: self)
  }

  deinit { atEnd() }

  func redraw() { redraws += 1 }

  func open(_ name: String) {
    // An observer of both is notified once.
    Defaults.withoutPropagation { Defaults[.quality] = 1 }
    Defaults[.lastOpened] = name
  }
}

/// Loads a value and sets it from its own actor.
private actor Loader {
  func load() { Defaults[.isUnicornMode] = true }
}

@Suite("A main-actor app written for Defaults by Sindre Sorhus before version 5")
struct MainActorAppSamples {
  @Test("Sample: observers of a main-actor app are called on the main actor with every change")
  @MainActor
  func app() async {
    let ends = Log<Void>()
    let item = StatusItem()
    var window: Window? = Window { ends.append(()) }
    #expect(item.title == "🐴")

    Defaults[.isUnicornMode] = true
    #expect(item.title == "🦄")
    #expect(window?.redraws == 1)

    window?.open("a.txt")
    #expect(window?.redraws == 1)
    #expect(Defaults[.lastOpened] == "a.txt")

    Defaults.reset(.isUnicornMode, .quality)
    // Both were reset in one step.
    #expect(window?.redraws == 2)

    let later = Defaults.updates(.isUnicornMode, initial: false)
    await Loader().load()
    for await isOn in later where isOn { break }
    while item.title != "🦄" { await Task.yield() }
    #expect(item.history == ["false false", "false true", "true false", "false true"])

    window = nil
    #expect(ends.count == 1)
    Defaults[.quality] = 0.5
  }
}
