// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no build of the library or of its tests builds the benchmarks.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AuthCore", path: "../../..")],
  targets: [
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        .product(name: "Guards", package: "AuthCore"), .product(name: "AuthCoreTesting", package: "AuthCore"),
        .product(name: "AuthCore", package: "AuthCore"),
        .product(name: "AuthService", package: "AuthCore"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
