import Defaults
import Foundation

extension Defaults {
  /// How concurrent changes of a synced setting on several devices become one value.
  ///
  /// Two changes are concurrent if neither device had received the other device's change. A change
  /// by a device that had received the other change always replaces that change, whatever the rule.
  public struct SyncRule<Value: Sendable>: Sendable {
    let mark: SyncMark

    /// The newest change wins.
    public static var latest: Self { Self(mark: .latest) }

    /// The newest change wins for now, and a conflict is reported; see ``FolderSync/conflicts``.
    public static var ask: Self { Self(mark: .ask) }
  }
}

extension Defaults.SyncRule {
  /// The set has the elements of all concurrent changes.
  ///
  /// If the key's coding doesn't store an array, such as a coding to JSON text, the newest change
  /// wins.
  public static func union<Element>() -> Self where Value == Set<Element> { Self(mark: .union) }
}

extension Defaults.SyncRule where Value: Comparable & Numeric {
  /// The greatest number of all concurrent changes wins.
  ///
  /// A number may be stored as text. If it is NaN, or the key's coding stores it in another form,
  /// such as data, the newest change wins.
  public static var max: Self { Self(mark: .max) }
}

extension Defaults.SyncRule where Value == Date {
  /// The latest date of all concurrent changes wins.
  ///
  /// A date may be stored as a number or as text in ISO 8601. If the key's coding stores it in
  /// another form, the newest change wins.
  public static var max: Self { Self(mark: .max) }
}

extension Defaults.Trait {
  /// Syncs the setting with the person's other devices; the newest change wins. See ``FolderSync``.
  ///
  /// A secret is never synced. The setting of an older program without the trait is left alone.
  public static var synced: Self { .synced(.latest) }

  /// Syncs the setting with the person's other devices.
  ///
  /// - Parameter rule: How concurrent changes become one value.
  public static func synced(_ rule: Defaults.SyncRule<Value>) -> Self { Self(mark: rule.mark) }
}

/// The label of a synced setting.
final class SyncMark: TraitMark {
  let resolution: SyncResolution

  private init(_ resolution: SyncResolution) { self.resolution = resolution }

  static let latest = SyncMark(.latest)
  static let union = SyncMark(.union)
  static let max = SyncMark(.max)
  static let ask = SyncMark(.ask)
}

/// A key that is synced, and its rule.
package struct SyncedKey: Sendable {
  let key: Defaults.AnyKey
  /// nil for a key without the trait, for which a rule that is already known applies.
  let resolution: SyncResolution?

  package init(_ key: Defaults.AnyKey, _ resolution: SyncResolution?) {
    (self.key, self.resolution) = (key, resolution)
  }

  /// The synced keys of a suite, or of a suite of layers and its writable layer: those with the
  /// trait, and further ones. Secrets are left out.
  package static func all(
    of supports: [Defaults.SuiteSupport], and further: [Defaults.AnyKey]
  ) -> [String: SyncedKey] {
    var keys: [String: SyncedKey] = [:]
    let marked = supports.flatMap(\.markedKeys).compactMap { $0 as? Defaults.AnyKey }
    for key in further + marked {
      guard !supports.contains(where: { $0.isSecret(key.name) }), !key.isSecret else { continue }
      keys[key.name] = SyncedKey(key, (key.mark as? SyncMark)?.resolution)
    }
    return keys
  }
}
