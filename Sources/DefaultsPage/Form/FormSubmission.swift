import Defaults
import DefaultsLayers
import DefaultsText

extension Defaults.SettingsForm {
  /// Sets settings from texts, and resets others, in one transaction.
  ///
  /// All valid changes are made, and the others are returned with their problems:
  ///
  /// ```swift
  /// let problems = form.submit(["volume": "7", "theme": "pink"])
  /// print(problems["theme"]?.reason ?? "")  // It must be one of system, light, dark, not "pink"
  /// ```
  ///
  /// Pass only the fields that the user has changed. An empty text replaces a secret.
  ///
  /// If the transaction itself fails, nothing was changed, and each change has its error.
  ///
  /// - Parameters:
  ///   - texts: The new values by name, in the forms that ``KeyBase/set(text:)`` accepts.
  ///   - names: The settings to reset, even if they are in `texts`. A secret is removed this way.
  /// - Returns: The problem of each change that wasn't made: `invalid`, `managed`, `unknownName`
  ///   for a name that isn't in the form, `locked`, or another error of
  ///   ``Suite/transaction(_:)``.
  public func submit(
    _ texts: [String: String], resetting names: Set<String> = []
  ) -> [String: Defaults.SuiteError] {
    var changes = texts.mapValues { FormChange.text($0) }
    for name in names { changes[name] = .reset }
    return submit(changes) { _, _ in true }
  }

  /// Makes the changes whose settings still have the state that the user saw.
  ///
  /// - Parameter isCurrent: Returns whether the user saw this state of a setting.
  func submit(
    _ changes: [String: FormChange], seen isCurrent: (Setting, Row) -> Bool
  ) -> [String: Defaults.SuiteError] {
    var problems: [String: Defaults.SuiteError] = [:]
    var edits: [Checked] = []
    for (name, change) in changes {
      do throws(Defaults.SuiteError) {
        guard let setting = setting(named: name) else {
          let nearest = NearestName.of(name, in: settings.lazy.map(\.key.name))
            .map { "; did you mean \"\($0)\"?" }
          throw Defaults.SuiteError(
            .unknownName, "No setting of the form has this name" + (nearest ?? ""),
            suite: suite.label, key: name)
        }
        edits.append(try checked(change, of: setting, seen: isCurrent))
      } catch {
        problems[name] = error
      }
    }
    guard !edits.isEmpty else { return problems }
    do {
      problems.merge(try make(edits)) { first, _ in first }
    } catch {
      let error = Defaults.SuiteError(wrapping: error, .unwritable, suite: suite.label)
      for edit in edits { problems[edit.key.name] = error }
    }
    return problems
  }

  /// A valid edit, and the entry that the setting had when it was checked.
  private struct Checked {
    let key: Defaults.AnyKey
    let edit: Defaults.Edit
    let before: Defaults.PropertyListValue?
  }

  private func checked(
    _ change: FormChange, of setting: Setting, seen isCurrent: (Setting, Row) -> Bool
  ) throws(Defaults.SuiteError) -> Checked {
    let key = setting.key
    try suite.requireUnmanaged(key)
    let before = key.entry(in: suite)
    guard isCurrent(setting, row(of: setting)) else { throw conflict(on: key) }
    let edit =
      switch change {
      case .text(let text): try key.edit(ofText: text, in: suite)
      case .noValue: try key.editOfNil(in: suite)
      case .reset: Defaults.Edit.remove
      }
    return Checked(key: key, edit: edit, before: before)
  }

  /// Makes edits in one transaction, except those whose settings another writer has changed.
  private func make(_ edits: [Checked]) throws -> [String: Defaults.SuiteError] {
    try suite.transaction { draft in
      var problems: [String: Defaults.SuiteError] = [:]
      for edit in edits {
        do throws(Defaults.SuiteError) {
          try suite.requireUnmanaged(edit.key)
          guard edit.key.entry(in: draft) == edit.before else { throw conflict(on: edit.key) }
          edit.key.write(edit.edit, in: &draft)
        } catch {
          problems[edit.key.name] = error
        }
      }
      return problems
    }
  }

  private func conflict(on key: Defaults.AnyKey) -> Defaults.SuiteError {
    Defaults.SuiteError(
      .changedMeanwhile, "Another program has changed the setting; submit your value again",
      suite: suite.label, key: key.name)
  }
}

/// A change of a setting that a user asks for.
enum FormChange: Hashable {
  case text(String)
  /// Sets the value to nil.
  case noValue
  case reset

  /// The change for the text in a setting's control; nil if there is none.
  static func entering(_ text: String, isSecret: Bool, isOptional: Bool) -> Self? {
    guard text.isEmpty else { return .text(text) }
    // The control of a secret is empty until the user types a new one.
    if isSecret { return nil }
    // No text is the text of nil.
    return isOptional ? .noValue : .text(text)
  }
}

extension Defaults.SuiteError.Code {
  /// Another program changed the setting after the user saw it; the user's value wasn't stored.
  public static let changedMeanwhile = Self(rawValue: "changedMeanwhile")
}
