import Foundation
import Testing

@testable import Defaults

@Suite("Detached property list values")
struct PropertyListValueDetachedTests {
  private typealias Value = Defaults.PropertyListValue

  @Test("Each is equal to what it was detached from")
  func equality() {
    let text = "e\u{301} and more than fifteen bytes, with \u{0} in it"
    let values: [Value] = [
      true, 5, .unsignedInteger(.max), .real(-0.0), .real(.nan), .string(text), .string(""),
      .date(Date(timeIntervalSinceReferenceDate: 0.1)), .data(Data([0, 1, 255])), .data(Data()),
    ]
    for value in values + [.array(values), .dictionary([text: .array(values), "": [:]])] {
      #expect(value.detached == value)
    }
  }

  @Test("A string, in an array or a key too, lies in memory of its own")
  func memory() throws {
    let text = String(repeating: "long enough ", count: 5)
    let detached = Value.array([.string(text), .dictionary([text: 1])]).detached
    guard case .array(let elements) = detached, case .string(let element) = elements[0],
      case .dictionary(let entries) = elements[1]
    else { throw CancellationError() }
    let places = [text, element, try #require(entries.keys.first)].map { text in
      text.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
    }
    #expect(Set(places).count == 3)
    #expect(!places.contains(nil))
  }
}
