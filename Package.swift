// swift-tools-version: 6.2
import PackageDescription

// Apple's privacy manifest. Programs for Apple platforms are built on macOS only; elsewhere a
// resource would add a bundle to each program, and generated code to the module.
#if os(macOS)
  let privacyResources: [Resource] = [.copy("Apple/PrivacyInfo.xcprivacy")]
  let privacyExclusions: [String] = []
#else
  let privacyResources: [Resource] = []
  let privacyExclusions = ["Apple/PrivacyInfo.xcprivacy"]
#endif

let package = Package(
  name: "Defaults",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Defaults", targets: ["Defaults"]),
    .library(name: "DefaultsCommand", targets: ["DefaultsCommand"]),
    .library(name: "DefaultsCompression", targets: ["DefaultsCompression"]),
    .library(name: "DefaultsEtcd", targets: ["DefaultsEtcd"]),
    .library(name: "DefaultsHistory", targets: ["DefaultsHistory"]),
    .library(name: "DefaultsLayers", targets: ["DefaultsLayers"]),
    .library(name: "DefaultsPage", targets: ["DefaultsPage"]),
    .library(name: "DefaultsSync", targets: ["DefaultsSync"]),
    .library(name: "DefaultsText", targets: ["DefaultsText"]),
    .library(name: "DefaultsTesting", targets: ["DefaultsTesting"]),
    .executable(name: "defaults-file", targets: ["DefaultsFile"]),
  ],
  targets: [
    .target(name: "Defaults", exclude: privacyExclusions, resources: privacyResources),
    .target(
      name: "DefaultsCommand",
      dependencies: [
        "Defaults", "DefaultsHistory", "DefaultsLayers", "DefaultsPage", "DefaultsText",
      ]),
    .target(name: "DefaultsCompression", dependencies: ["Defaults"]),
    .target(name: "DefaultsEtcd", dependencies: ["Defaults"]),
    .executableTarget(
      name: "DefaultsFile", dependencies: ["Defaults", "DefaultsCommand", "DefaultsText"]),
    .target(name: "DefaultsHistory", dependencies: ["Defaults"]),
    .target(name: "DefaultsLayers", dependencies: ["Defaults", "DefaultsText"]),
    .target(name: "DefaultsPage", dependencies: ["Defaults", "DefaultsLayers", "DefaultsText"]),
    .target(name: "DefaultsSync", dependencies: ["Defaults"]),
    .target(name: "DefaultsTesting", dependencies: ["Defaults", "DefaultsLayers"]),
    .target(name: "DefaultsText", dependencies: ["Defaults"]),
    .executableTarget(name: "Example", dependencies: ["Defaults", "DefaultsCommand"]),
    .target(name: "Harness", dependencies: ["Defaults", "DefaultsText"], path: "Tests/Harness"),
    .target(
      name: "FuzzInputs", dependencies: ["Defaults", "DefaultsText"], path: "Tests/FuzzInputs"),
    .executableTarget(
      name: "StressTests",
      dependencies: [
        "Defaults", "DefaultsEtcd", "DefaultsHistory", "DefaultsLayers", "DefaultsSync",
        "DefaultsText", "Harness", "FuzzInputs",
      ],
      path: "Tests/StressTests"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Defaults", "DefaultsEtcd", "DefaultsLayers", "DefaultsPage", "DefaultsSync", "Harness",
      ],
      path: "Tests/Benchmarks"),
    // What several test targets need: files, child processes and values to test with.
    .target(
      name: "TestSupport",
      dependencies: ["Defaults", "DefaultsLayers", "DefaultsTesting", "Harness"],
      path: "Tests/TestSupport"),
    .testTarget(
      name: "DefaultsTests",
      dependencies: [
        "Defaults", "DefaultsCompression", "DefaultsHistory", "DefaultsLayers", "DefaultsTesting",
        "DefaultsText", "FuzzInputs", "Harness", "TestSupport",
      ]),
    .testTarget(
      name: "DefaultsCommandTests",
      dependencies: [
        "Defaults", "DefaultsCommand", "DefaultsHistory", "DefaultsLayers", "DefaultsText",
        "Example", "Harness", "TestSupport",
      ]),
    .testTarget(
      name: "DefaultsCompressionTests",
      dependencies: ["Defaults", "DefaultsCompression", "TestSupport"]),
    .testTarget(
      name: "DefaultsEtcdTests",
      dependencies: [
        "Defaults", "DefaultsCommand", "DefaultsEtcd", "DefaultsLayers", "DefaultsTesting",
        "Harness",
        "TestSupport",
      ]),
    .testTarget(
      name: "DefaultsFileTests",
      dependencies: [
        "Defaults", "DefaultsFile", "DefaultsText", "FuzzInputs", "Harness", "TestSupport",
      ]),
    .testTarget(
      name: "DefaultsHistoryTests",
      dependencies: [
        "Defaults", "DefaultsHistory", "DefaultsLayers", "DefaultsTesting", "TestSupport",
      ]),
    .testTarget(
      name: "DefaultsLayersTests",
      dependencies: [
        "Defaults", "DefaultsHistory", "DefaultsLayers", "DefaultsTesting", "DefaultsText",
        "FuzzInputs", "TestSupport",
      ]),
    .executableTarget(
      name: "PageProgram",
      dependencies: ["Defaults", "DefaultsCommand", "DefaultsLayers", "Harness"],
      path: "Tests/PageProgram"),
    .testTarget(
      name: "DefaultsPageTests",
      dependencies: [
        "Defaults", "DefaultsLayers", "DefaultsPage", "DefaultsText", "Harness", "PageProgram",
        "TestSupport",
      ],
      exclude: ["Browser"]),
    .testTarget(
      name: "DefaultsSyncTests",
      dependencies: [
        "Defaults", "DefaultsCommand", "DefaultsLayers", "DefaultsSync", "Harness", "TestSupport",
      ]),
    .testTarget(
      name: "DefaultsTestingTests", dependencies: ["Defaults", "DefaultsTesting", "TestSupport"]),
    .testTarget(
      name: "DefaultsTextTests",
      dependencies: ["Defaults", "DefaultsText", "FuzzInputs", "TestSupport"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Defaults", "DefaultsCommand", "DefaultsCompression", "DefaultsEtcd", "DefaultsHistory",
        "DefaultsLayers", "DefaultsPage", "DefaultsSync", "DefaultsTesting", "DefaultsText",
        "Harness",
        "TestSupport",
      ],
      // The complete tables of the porting articles.
      exclude: ["Compatibility/Tables"]),
    .testTarget(
      name: "StressTestsTests",
      dependencies: [
        "Defaults", "DefaultsText", "StressTests", "FuzzInputs", "Harness", "TestSupport",
      ]),
  ]
)

// The fuzzer, and coverage of what it tests, which guides it. Flags like these may not be in a
// package that others depend on, so they are only there when they are asked for.
if Context.environment["DEFAULTS_FUZZ"] != nil {
  // A release build doesn't check the bounds of unsafe buffers; the address sanitizer does.
  let sanitizers = "-sanitize=fuzzer,address"
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: ["Defaults", "FuzzInputs"], path: "Tests/Fuzz",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags([sanitizers])]))
  let coverage = "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp"
  for target in package.targets where ["Defaults", "FuzzInputs", "Fuzz"].contains(target.name) {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [.unsafeFlags([sanitizers, coverage])]
  }
}
