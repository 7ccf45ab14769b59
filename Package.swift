// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Defaults",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Defaults", targets: ["Defaults"])
  ],
  targets: [
    .target(name: "Defaults"),
    .executableTarget(name: "Example", dependencies: ["Defaults"]),
    .target(name: "Mutation", dependencies: ["Defaults"], path: "Tests/Mutation"),
    .executableTarget(
      name: "Torture", dependencies: ["Defaults", "Mutation"], path: "Tests/Torture"),
    .testTarget(name: "DefaultsTests", dependencies: ["Defaults", "Example", "Mutation", "Torture"]),
  ]
)
