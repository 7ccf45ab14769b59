import Foundation
import Synchronization

extension Defaults {
  /// Posted to `NotificationCenter.default` after each change, when the handlers of the suite have
  /// run.
  ///
  /// `userInfo` holds a `[String]` of the changed names under ``changedNamesKey``, sorted, the
  /// suite's label under ``suiteLabelKey``, and the writer's mark, if it has one, as a `String`
  /// under ``originKey``; `object` is nil. Posted on the thread that delivers, one at a time per
  /// suite, in the order of the commits. A program that never asks for this name pays nothing:
  /// posting begins when the property is first read.
  public static var didChangeNotification: Notification.Name {
    notificationWanted.store(true, ordering: .relaxed)
    return changeNotificationName
  }

  /// The key of the changed names in a notification's `userInfo`.
  public static let changedNamesKey = "names"
  /// The key of the suite's label in a notification's `userInfo`.
  public static let suiteLabelKey = "suite"

  /// The key of the writer's mark in a notification's `userInfo`.
  public static let originKey = "origin"

  private static let changeNotificationName = Notification.Name("Defaults.didChangeNotification")
  private static let notificationWanted = Atomic(false)

  static var isNotificationWanted: Bool { notificationWanted.load(ordering: .relaxed) }

  static func postNotification(of change: Change, label: String) {
    var info: [String: Any] = [changedNamesKey: change.names.sorted(), suiteLabelKey: label]
    info[originKey] = change.origin?.rawValue
    NotificationCenter.default.post(name: changeNotificationName, object: nil, userInfo: info)
  }
}
