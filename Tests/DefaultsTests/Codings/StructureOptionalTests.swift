import Defaults
import TestSupport
import Testing

@Suite("Optionals in hand-written containers")
struct StructureOptionalTests {
  private struct Sparse: Codable, Equatable {
    var values: [Int?]
    init(_ values: [Int?]) { self.values = values }
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      values = []
      while !container.isAtEnd { values.append(try container.decodeIfPresent(Int.self)) }
      #expect(try container.decodeIfPresent(Int.self) == nil)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
    }
  }

  private enum Keys: CodingKey { case a }

  private struct Manual: Codable, Equatable {
    var a: Int?
    private enum CodingKeys: CodingKey { case a }
    init(a: Int?) { self.a = a }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      a = try container.decode(Int?.self, forKey: .a)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(a, forKey: .a)
    }
  }

  @Test("Optionals that are encoded by hand are read back")
  func manualOptionals() {
    expect(.propertyList, Sparse([1, nil, 2]), isStoredAs: [[1], [], [2]])
    expect(.propertyList, Manual(a: nil), isStoredAs: [:])
    expect(.propertyList, Manual(a: 5), isStoredAs: ["a": 5])
  }

  private struct Rows: Codable, Equatable {
    var rows: [Manual?]
    init(_ rows: [Manual?]) { self.rows = rows }
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      rows = []
      while !container.isAtEnd {
        if try container.decodeNil() {
          rows.append(nil)
        } else {
          let fields = try container.nestedContainer(keyedBy: Keys.self)
          #expect(fields.codingPath.map(\.intValue) == [rows.count])
          rows.append(Manual(a: try fields.decode(Int.self, forKey: .a)))
        }
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for row in rows { try container.encode(row) }
    }
  }

  @Test("An optional structure in a list can be read field by field")
  func manualFields() {
    expect(
      .propertyList, Rows([Manual(a: 1), nil, Manual(a: 2)]),
      isStoredAs: [[["a": 1]], [], [["a": 2]]])
    expect(Defaults.Coding<Rows>.propertyList, reads: [["a": 1]], as: Rows([Manual(a: 1)]))
    expect(
      Defaults.Coding<Rows>.propertyList, refuses: [[5]],
      "[0]: it is an integer, and a dictionary was expected")
  }

  private struct Doubled: Codable, Equatable {
    var a: Int??
    var b: Int???
  }

  @Test("A nil inside an optional property is rejected, not left out")
  func doubledOptionals() {
    expect(.propertyList, Doubled(a: nil, b: nil), isStoredAs: [:])
    expect(.propertyList, Doubled(a: 5, b: 6), isStoredAs: ["a": 5, "b": 6])
    let reason = "a nil inside an optional can't be distinguished from no value"
    expect(.propertyList, refusesToWrite: Doubled(a: .some(nil)), "a: \(reason)")
    expect(.propertyList, refusesToWrite: Doubled(b: .some(.some(nil))), "b: \(reason)")
    expect(.propertyList, refusesToWrite: [Doubled(a: .some(nil))], "[0].a: \(reason)")
  }
}
