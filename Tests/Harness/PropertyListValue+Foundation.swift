import Defaults
import Foundation

extension Defaults.PropertyListValue {
  /// The Foundation object that programs pass to `UserDefaults`.
  package var foundationObject: Any {
    switch self {
    case .bool(let value): value
    case .integer(let value): Int(value)
    case .unsignedInteger(let value): value
    case .real(let value): value
    case .string(let value): value
    case .date(let value): value
    case .data(let value): value
    case .array(let value): value.map(\.foundationObject)
    case .dictionary(let value): value.mapValues(\.foundationObject)
    }
  }
}
