import Foundation
import TestSupport
import Testing

@testable import StressTests

@Suite(
  "JSON Schema and an independent validator", .tags(.slow),
  .enabled(if: Python()?.hasJSONSchema == true, "there is no python3 with jsonschema"))
struct SchemaCampaignTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "The JSON Schema of the library and an independent validator agree on generated entries")
  func agreement() throws {
    let python = try #require(Python())
    let result = try SchemaCampaign.compare(1_000, seed: 14, python, in: folder.url(""))
    #expect(result.differences.prefix(5) == [])
    #expect(200..<850 ~= result.allowed)
  }

  @Test("The JSON Schema allows the forms of an entry that a key with a coding reads")
  func forms() throws {
    let python = try #require(Python())
    // A sample: `StressTests --short` exports the entries of every key.
    let result = try SchemaCampaign.refusedForms(python, in: folder.url(""), stride: 5)
    #expect(result.refused == [])
    #expect(result.count > 1_000)
  }
}
