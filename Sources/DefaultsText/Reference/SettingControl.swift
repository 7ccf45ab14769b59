import Defaults

extension Defaults {
  /// The kind of control in which a user sees and changes a setting.
  public enum SettingControl: Sendable, Hashable {
    /// A switch between the texts `true` and `false`.
    case toggle
    /// A number. The bounds are texts of allowed values. A bound is nil if there is none, and for
    /// an upper bound that isn't an allowed value itself.
    case number(minimum: String?, maximum: String?, isWhole: Bool)
    /// One of a few texts, each with its label.
    case choice([Choice])
    /// A text.
    case text
    /// Elements between commas.
    case list
    /// A JSON object.
    case dictionary
    /// A date in ISO 8601.
    case date
    /// A duration such as `1h 30m`.
    case duration
    /// JSON of any other structure.
    case json

    /// One of a few values.
    public struct Choice: Sendable, Hashable {
      /// The text that ``KeyBase/set(text:)`` takes.
      public let text: String
      /// The text for people.
      public let label: String

      package init(text: String, label: String) {
        self.text = text
        self.label = label
      }

      /// The choices of a switch that may have no value.
      package static let onOff = [
        Self(text: "true", label: "On"), Self(text: "false", label: "Off"),
      ]
    }
  }
}

extension Defaults.SettingDescription {
  /// The control in which a user sees and changes the setting.
  package var control: Defaults.SettingControl {
    if let choices = choiceEntries {
      return .choice(choices.map { .init(text: $0.text, label: $0.label) })
    }
    let shape = form.shape.stored
    switch shape {
    // A switch has no third state for nil.
    case .bool, .bit:
      return form.isOptional ? .choice(Defaults.SettingControl.Choice.onOff) : .toggle
    case .integer(let limits): return number(limits)
    case .real, .float:
      let range = form.range
      return .number(
        minimum: range?.lowerBound.map { Defaults.EntryText.text(of: $0, as: shape) },
        maximum: range.flatMap { $0.includesUpperBound ? $0.upperBound : nil }
          .map { Defaults.EntryText.text(of: $0, as: shape) },
        isWhole: false)
    case .string(.json): return .json
    case .string, .data: return .text
    case .date: return .date
    case .duration: return .duration
    case .array(let element), .set(let element): return element.isScalar ? .list : .json
    case .dictionary: return .dictionary
    case .any, .optional, .converted, .either: return .json
    }
  }

  /// The control of whole numbers that also obey the limits of their type.
  private func number(_ limits: ClosedRange<Int128>) -> Defaults.SettingControl {
    func whole(_ bound: Defaults.PropertyListValue?) -> Int128? {
      switch bound {
      case .integer(let value): Int128(value)
      case .unsignedInteger(let value): Int128(value)
      default: nil
      }
    }
    var (lower, upper) = (limits.lowerBound, limits.upperBound)
    if let bound = whole(form.range?.lowerBound) { lower = max(lower, bound) }
    if let bound = whole(form.range?.upperBound) {
      upper = min(upper, form.range?.includesUpperBound == true ? bound : bound - 1)
    }
    return .number(
      minimum: lower > Int128(Int64.min) ? "\(lower)" : nil,
      maximum: upper < Int128(Int64.max) ? "\(upper)" : nil, isWhole: true)
  }

  /// The few values of the setting, if they are known.
  var choiceEntries: [(text: String, label: String, entry: PropertyListValue)]? {
    if !form.cases.isEmpty { return form.cases.map { ($0.text, $0.label.titled, $0.entry) } }
    for case .choices(let entries) in form.limits {
      return entries.map {
        let text = Defaults.EntryText.text(of: $0, as: form.shape)
        return (text, text, $0)
      }
    }
    return nil
  }
}
