import Defaults
import Synchronization

/// The entries in a plain dictionary: the minimum cost of a look-up.
final class BareDictionary {
  var entries: [String: Defaults.PropertyListValue]

  init(_ entries: [String: Defaults.PropertyListValue]) { self.entries = entries }
}

/// A number in a constant: the minimum cost of a read.
enum BareConstant {
  static let launchCount = compute()

  @inline(never) @_optimize(none)
  private static func compute() -> Int { 42 }
}

/// The entries in a dictionary behind a mutex: the usual handwritten solution.
final class LockedDictionary: Sendable {
  let entries: Mutex<[String: Defaults.PropertyListValue]>

  init(_ entries: [String: Defaults.PropertyListValue]) { self.entries = Mutex(entries) }

  @inline(__always)
  func integer(_ name: String) -> Int {
    entries.withLock { if case .integer(let value) = $0[name] { Int(value) } else { 0 } }
  }

  @inline(__always)
  func string(_ name: String) -> String {
    entries.withLock { if case .string(let value) = $0[name] { value } else { "" } }
  }

  @inline(__always)
  func set(_ value: Int, _ name: String) {
    entries.withLock { $0[name] = .integer(Int64(value)) }
  }
}
