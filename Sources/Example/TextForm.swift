import Foundation

/// A text isn't what a setting takes.
struct NotAccepted: Error {}

/// How the values of a type are read from the command line and printed. Escapes of control
/// characters aren't its subject: they are undone before it reads, and made after it prints.
struct TextForm<Value: Sendable>: Sendable {
  /// What `parse` takes, after "takes": "a number from 0 to 1".
  let accepted: String
  let parse: @Sendable (String) throws(NotAccepted) -> Value
  /// The text of a value; `parse` takes it back.
  let format: @Sendable (Value) -> String
}

extension TextForm<Int> {
  static func integer(in range: ClosedRange<Int>) -> Self {
    Self(
      accepted: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      parse: { text throws(NotAccepted) in
        guard let number = Int(text), range.contains(number) else { throw NotAccepted() }
        return number
      },
      format: { "\($0)" })
  }
}

extension TextForm<Double> {
  static func number(in range: ClosedRange<Double>) -> Self {
    Self(
      accepted: "a number from \(range.lowerBound) to \(range.upperBound)",
      parse: { text throws(NotAccepted) in
        guard let number = Double(text), range.contains(number) else { throw NotAccepted() }
        return number
      },
      format: { "\($0)" })
  }
}

extension TextForm where Value: CaseIterable & RawRepresentable<String> {
  /// One of the cases of an enum.
  static var choice: Self {
    Self(
      accepted: "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "),
      parse: { text throws(NotAccepted) in
        guard let value = Value(rawValue: text) else { throw NotAccepted() }
        return value
      },
      format: { $0.rawValue })
  }
}

extension TextForm<String> {
  /// Any text.
  static var line: Self {
    Self(accepted: "a line of text", parse: { $0 }, format: { $0 })
  }
}

extension TextForm {
  /// The empty text for no value, and another form for the others.
  static func optional<Wrapped>(_ form: TextForm<Wrapped>) -> Self where Value == Wrapped? {
    Self(
      accepted: "\(form.accepted), or \"\" for none",
      parse: { text throws(NotAccepted) in
        text.isEmpty ? nil : try form.parse(text)
      },
      format: { $0.map(form.format) ?? "" })
  }
}

extension TextForm<Set<String>> {
  /// Words between commas, sorted when printed.
  static var list: Self {
    Self(
      accepted: "words between commas, or \"\" for none",
      parse: { text throws(NotAccepted) in
        let words = text.isEmpty ? [] : trimmedParts(of: text)
        guard !words.contains(where: \.isEmpty) else { throw NotAccepted() }
        return Set(words)
      },
      format: { $0.sorted().joined(separator: ",") })
  }
}

extension TextForm<WindowFrame> {
  static var frame: Self {
    Self(
      accepted: "x,y,width,height in whole numbers, the size above 0",
      parse: { text throws(NotAccepted) in
        let parts = trimmedParts(of: text)
        let numbers = parts.compactMap { Int($0) }
        guard parts.count == 4, numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else {
          throw NotAccepted()
        }
        return WindowFrame(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      },
      format: { "\($0.x),\($0.y),\($0.width),\($0.height)" })
  }
}

private func trimmedParts(of text: String) -> [String] {
  text.split(separator: ",", omittingEmptySubsequences: false)
    .map { $0.trimmingCharacters(in: .whitespaces) }
}
