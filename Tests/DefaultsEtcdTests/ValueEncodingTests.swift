import Defaults
import Foundation
import Testing

@testable import DefaultsEtcd

@Suite("The encodings of values in etcd")
struct ValueEncodingTests {
  @Test("A single value is a binary property list, and a value that none holds is an error")
  func propertyList() throws {
    typealias Value = Defaults.PropertyListValue
    let encoding = Defaults.EtcdSuite.ValueEncoding.propertyList
    for value: Value in [1, "text", ["a": [1, true]], 0.5, .data(Data([7]))] {
      let bytes = try encoding.bytes(of: value)
      #expect(bytes.starts(with: "bplist00".utf8))
      #expect(try encoding.value(of: bytes) == value)
    }
    let deep = (0..<Value.maximumDepth).reduce(1 as Value) { value, _ in .array([value]) }
    #expect(throws: Defaults.ConversionError.self) { try encoding.bytes(of: deep) }
  }
}
