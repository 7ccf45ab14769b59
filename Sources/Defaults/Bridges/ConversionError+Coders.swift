import Foundation

extension Defaults.ConversionError {
  /// What an encoder or decoder threw, with its coding path as the path.
  init(coder error: any Error) {
    switch error {
    case let error as Defaults.ConversionError:
      self = error
    case DecodingError.keyNotFound(let key, let context):
      self.init("there is no \"\(key.stringValue)\"", context.codingPath)
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      self.init(context.debugDescription, context.codingPath)
    case DecodingError.dataCorrupted(let context)
    where context.codingPath.isEmpty && context.debugDescription.hasSuffix("not valid JSON."):
      // Outside Apple platforms, Foundation says this, and no more, of either.
      self.init(
        "it isn't JSON, or a number in it doesn't fit its type", [], context.underlyingError)
    case DecodingError.dataCorrupted(let context):
      self.init(context.debugDescription, context.codingPath, context.underlyingError)
    case EncodingError.invalidValue(_, let context):
      self.init(context.debugDescription, context.codingPath, context.underlyingError)
    default:
      self.init("\(error)")
    }
  }

  private init(
    _ reason: String, _ path: [any CodingKey], _ underlying: (any Error)? = nil
  ) {
    var reason = reason.last == "." ? String(reason.dropLast()) : reason
    if let underlying { reason += " (\(Self.describe(underlying)))" }
    self.init(reason, path: path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue })
  }

  /// What a parser says about a place in the text stands in the error's user info.
  private static func describe(_ error: any Error) -> String {
    let detail = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
    return detail ?? "\(error)"
  }
}
