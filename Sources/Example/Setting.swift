import Defaults

/// A setting of any type, as somebody at a terminal sees it: a name and a text.
protocol NamedSetting: Sendable {
  /// The key, without the type of its value.
  var anyKey: Defaults.AnyKey { get }
  /// What `set` takes, for help and errors.
  var accepted: String { get }
  /// The present value; `set` takes what the console prints of it.
  var text: String { get }
  /// Whether the value is the default one.
  var isDefault: Bool { get }

  /// Sets the value to what the text, which may hold escapes, stands for, and waits until it is
  /// stored.
  func set(_ text: String) throws
  /// Reports the value in a line now, and whenever it changes, for as long as the observation is
  /// kept.
  func observe(
    _ report: @escaping @Sendable (_ line: String, _ isChange: Bool) -> Void
  ) -> any Defaults.Observation
}

extension NamedSetting {
  var name: String { anyKey.name }
  var visibleText: String { visible(text) }
}

/// A text that can be seen although it is empty.
private func visible(_ text: String) -> String {
  text.isEmpty ? "(empty)" : text
}

/// A key, and the text form of its values: all that the commands need to know of a setting.
struct Setting<Value: Sendable>: NamedSetting {
  private let key: Defaults.Key<Value>
  private let form: TextForm<Value>

  init(_ key: Defaults.Key<Value>, as form: TextForm<Value>) {
    self.key = key
    self.form = form
  }

  var anyKey: Defaults.AnyKey { key }
  var accepted: String { form.accepted }
  var text: String { form.format(Defaults[key]) }
  var isDefault: Bool { key.isDefaultValue }

  func set(_ text: String) throws {
    guard !text.contains(where: \.isNewline), let value = try? form.parse(unescaped(text)) else {
      throw UsageError("\(name) takes \(accepted), not \"\(text)\"")
    }
    // The short way is `Defaults[key] = value`: saved in the background, and a problem is reported.
    // This way throws it.
    try key.suite.set(value, for: key)
    try SettingsFile.save()
  }

  func observe(
    _ report: @escaping @Sendable (_ line: String, _ isChange: Bool) -> Void
  ) -> any Defaults.Observation {
    Defaults.observe(key, options: [.initial]) { [key, form] change in
      let new = "\(key.name) = \(visible(form.format(change.newValue)))"
      if change.isInitial {
        report(new, false)
      } else {
        report("\(new), was \(visible(form.format(change.oldValue)))", true)
      }
    }
  }
}
