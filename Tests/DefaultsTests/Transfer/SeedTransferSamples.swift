import Defaults
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let favoriteIceCream = Key<String?>("favoriteIceCream")
  fileprivate static let appFontSize = Key("appFontSize", default: 12.0)
  fileprivate static let hasEatenIceCream = Key("hasEatenIceCreamRecently", default: false)
  fileprivate static let usesCustomTheme = Key("usesCustomTheme", default: false)
  fileprivate static let pet = Key("pet", default: "Boots")
  fileprivate static let theme = Key("theme", default: "plain")
}

/// Samples of the older libraries that move many settings, written for this library.
@Suite("Samples of imports, exports and bulk changes", .needsUserDefaults)
struct SeedTransferSamples {
  let folder: TemporaryFolder
  let domain: UserDefaultsDomain

  init() throws {
    folder = try TemporaryFolder()
    domain = try UserDefaultsDomain()
  }

  @Test("Sample: replacing migrate(userDefaults:nonBoolKeys:boolKeys:overwriteIfConflict:)")
  func migrateFromUserDefaults() throws {
    let userDefaults = try domain.open()
    userDefaults.set("vanilla", forKey: "favoriteIceCream")
    userDefaults.set(14, forKey: "appFontSize")
    userDefaults.set(1, forKey: "hasEatenIceCreamRecently")
    userDefaults.set(true, forKey: "usesCustomTheme")
    let suite = Defaults.MemorySuite()

    let report = try suite.importUserDefaults(
      .keys(.favoriteIceCream, .appFontSize, .hasEatenIceCream, .usesCustomTheme),
      from: userDefaults, conflicts: .takeTheirs)

    #expect(report.taken.count == 4)
    #expect(suite[.hasEatenIceCream])
    #expect(suite.entry(named: "hasEatenIceCreamRecently") == true)
    #expect(suite.entry(named: "appFontSize") == 14.0)
  }

  @Test("Sample: replacing bulkStore(items:skipKeyIfAlreadyPresent:)")
  func bulkStore() throws {
    let suite = Defaults.MemorySuite()
    try suite.setValues((.pet, "Rex"), (.theme, "sunset"), skippingPresent: false)
    try suite.setValues((.pet, "Tom"), (.theme, "dawn"), skippingPresent: true)
    #expect((suite[.pet], suite[.theme]) == ("Rex", "sunset"))
  }

  @Test("Sample: replacing init(from:format:), load(from:format:by:) and load(from:by:)")
  func load() throws {
    let source = Defaults.MemorySuite(["foo": "text", "bar": 123])
    let file = folder.url("settings.plist")
    try source.export(to: file, as: .plist)
    let data = try source.exportData(as: .plist)
    let xml = try source.exportString(as: .plist)

    let storage = Defaults.MemorySuite(["old": 1])
    try storage.importEntries(from: file, as: .plist, by: .replace)
    #expect(storage.entries == source.entries)
    try storage.importEntries(from: data, as: .plist, by: .replace)
    try storage.importEntries(from: xml, as: .plist, by: .replace)
    try storage.importEntries(from: ["bar": 124, "baz": [1, "mixed"]], by: .merge)
    #expect(storage.entries == ["foo": "text", "bar": 124, "baz": [1, "mixed"]])
  }

  @Test("Sample: replacing export(format:to:), exportData(format:) and exportString(format:)")
  func export() throws {
    let storage = Defaults.MemorySuite(["bar": 123])
    try storage.export(to: folder.url("settings.plist"), as: .plist)
    try storage.export(to: folder.url("settings.json"), as: .json)
    let data = try storage.exportData(as: .plist(.binary))
    let text = try storage.exportString(as: .json)
    #expect(data.starts(with: Data("bplist00".utf8)))
    #expect(text == (try folder.text(of: "settings.json")))
  }
}
