/// The words of a command line, read one by one.
package struct Words {
  private var rest: ArraySlice<String>

  package init(_ words: [String]) { rest = words[...] }

  /// nil at the end.
  package mutating func next() -> String? { rest.popFirst() }

  /// The word after an option.
  package mutating func word(after option: String) throws -> String {
    guard let word = next() else { throw HarnessError("\(option) needs a word after it") }
    return word
  }

  /// The number after an option.
  package mutating func number<Number: LosslessStringConvertible>(
    after option: String
  ) throws -> Number {
    guard let word = next(), let number = Number(word) else {
      throw HarnessError("\(option) needs a number")
    }
    return number
  }
}
