// swift-tools-version: 6.2
import Foundation
import PackageDescription

// ConcurrencyKit, Guards, AuthCore, AuthCoreTesting, TextFormat, AuthDevice and AuthOAuth are
// portable Swift; all else is for Linux with glibc. The platforms are those of the modules
// Synchronization and Observation; a test holds the portable targets to them.
let package = Package(
  name: "AuthCore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Guards", targets: ["Guards"]),
    .library(name: "AuthCore", targets: ["AuthCore"]),
    .library(name: "AuthCoreTesting", targets: ["AuthCoreTesting"]),
    .library(name: "AuthDevice", targets: ["AuthDevice"]),
    .library(name: "AuthOAuth", targets: ["AuthOAuth"]),
    // What a caller of both uses, such as payments and errors, is in AuthAccounts. A client of a
    // service links neither the rules nor libcrypt; a test holds it to that.
    .library(name: "AuthSQLite", targets: ["AuthSQLite", "AuthAccounts"]),
    .library(name: "AuthService", targets: ["AuthService", "AuthAccounts"]),
    .executable(name: "auth-cli", targets: ["auth-cli"]),
    .executable(name: "auth-service", targets: ["auth-service"]),
  ],
  dependencies: [],
  targets: [
    .target(name: "ConcurrencyKit"),
    .target(name: "Guards", dependencies: ["ConcurrencyKit"]),
    .target(name: "AuthCore", dependencies: ["ConcurrencyKit", "Guards"]),
    .target(name: "AuthCoreTesting", dependencies: ["AuthCore", "ConcurrencyKit"]),
    .target(name: "TextFormat"),
    .target(name: "AuthDevice", dependencies: ["AuthCore", "ConcurrencyKit", "TextFormat"]),
    .target(name: "AuthOAuth", dependencies: ["AuthCore", "ConcurrencyKit", "Guards", "TextFormat", "CProcess"]),
    .target(
      name: "AuthAccounts", dependencies: ["AuthCore", "AuthDevice", "ConcurrencyKit", "Guards", "TextFormat"]),
    .target(
      name: "AuthRules",
      dependencies: ["AuthAccounts", "AuthCore", "AuthDevice", "ConcurrencyKit", "TextFormat", "CCrypt"]),
    .target(
      name: "AuthAccountsTesting",
      dependencies: ["AuthAccounts", "AuthCore", "AuthCoreTesting", "AuthDevice", "AuthRules"]),
    .target(
      name: "AuthSQLite",
      dependencies: ["AuthAccounts", "AuthCore", "AuthDevice", "AuthRules", "ConcurrencyKit", "TextFormat", "CSQLite"]),
    .target(
      name: "AuthService",
      dependencies: ["AuthAccounts", "AuthCore", "AuthDevice", "ConcurrencyKit", "TextFormat", "CSocket", "CVersion"]),
    .target(
      name: "AuthServer",
      dependencies: [
        "AuthAccounts", "AuthCore", "AuthRules", "AuthService", "ConcurrencyKit", "TextFormat", "CSocket",
      ]),
    .target(
      name: "CVersion",
      // A release build sets it; see .ci/release.
      cSettings: Context.environment["AUTH_COMMIT"].map { [.define("AUTH_COMMIT", to: "\"\($0)\"")] }),
    .target(name: "CommandLineKit", dependencies: ["TextFormat"]),
    .target(
      name: "AuthMessages", dependencies: ["AuthAccounts", "AuthCore", "AuthDevice", "CommandLineKit", "TextFormat"]),
    .target(
      name: "AuthScreens",
      dependencies: ["AuthAccounts", "AuthCore", "AuthMessages", "CommandLineKit", "Guards", "TextFormat"]),
    .target(
      name: "AuthFullScreen",
      dependencies: [
        "AuthAccounts", "AuthCore", "AuthDevice", "AuthMessages", "AuthScreens", "CommandLineKit", "ConcurrencyKit",
        "TextFormat",
      ]),
    .target(
      name: "AuthCLIProgram",
      dependencies: [
        "AuthAccounts", "AuthCore", "AuthDevice", "AuthFullScreen", "AuthMessages", "AuthOAuth", "AuthScreens",
        "AuthService", "AuthSQLite", "CommandLineKit", "CProcess", "ConcurrencyKit", "Guards", "TextFormat",
      ],
      resources: [.embedInCode("Machine/machine.tsv")]),
    .executableTarget(name: "auth-cli", dependencies: ["AuthSQLite", "AuthCLIProgram"]),
    .target(
      name: "AuthServiceProgram",
      dependencies: [
        "AuthAccounts", "AuthRules", "AuthCore", "AuthDevice", "AuthMessages", "AuthServer", "AuthService",
        "AuthSQLite", "CommandLineKit", "CProcess", "ConcurrencyKit", "TextFormat",
      ]),
    .executableTarget(name: "auth-service", dependencies: ["AuthServiceProgram"]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
    // Not a library but calls of the system that Swift cannot make.
    .systemLibrary(name: "CProcess"),
    .systemLibrary(name: "CSocket"),
    .target(
      name: "Services",
      dependencies: [
        "AuthAccounts", "AuthRules", "AuthAccountsTesting", "AuthCore", "AuthCoreTesting", "AuthDevice", "AuthServer",
        "AuthService", "AuthSQLite", "DatabaseFiles", "Programs",
      ]),
    .target(name: "PostgresServers", dependencies: ["Programs"]),
    .target(name: "Programs"),
    // auth-cli with the least cost of a password, for tests that are not about the cost: the hash
    // is nearly all that a login takes. The shipped program cannot do it. A variable or an option
    // for that would let anybody who sets it store passwords that are cheap to guess.
    .executableTarget(
      name: "auth-cli-least-cost", dependencies: ["AuthRules", "AuthDevice", "AuthSQLite", "AuthCLIProgram"]),
    .executableTarget(
      name: "auth-service-least-cost", dependencies: ["AuthRules", "AuthServiceProgram"]),
    .executableTarget(
      name: "transcript-tool",
      dependencies: ["AuthAccounts", "AuthRules", "AuthCore", "DatabaseFiles", "Programs", "Terminals"]),
    .executableTarget(
      name: "session-tool", dependencies: ["AuthCore", "AuthDevice", "AuthOAuth", "TextFormat"]),
    .executableTarget(
      name: "race-tool",
      dependencies: [
        "AuthAccounts", "AuthCore", "AuthDevice", "AuthSQLite", "ConcurrencyKit", "Guards", "PublishedForms", "Races",
      ]),
    .target(name: "PublishedForms", dependencies: ["ConcurrencyKit"]),
    .target(name: "DatabaseFiles", dependencies: ["CSQLite"]),
    .target(name: "Races", dependencies: ["ConcurrencyKit"]),
    .target(name: "Terminals", dependencies: ["CommandLineKit", "Programs"]),
    .testTarget(
      name: "GuardsTests",
      dependencies: ["ConcurrencyKit", "Guards", "Programs", "PublishedForms", "Races"]),
    .testTarget(
      name: "AuthCoreTests",
      dependencies: ["AuthCore", "AuthCoreTesting", "ConcurrencyKit", "Guards", "Programs", "Races"]),
    .testTarget(
      name: "AuthOAuthTests",
      dependencies: [
        "AuthCore", "AuthCoreTesting", "AuthDevice", "AuthOAuth", "ConcurrencyKit", "Programs", "TextFormat",
        "session-tool",
      ]),
    .testTarget(
      name: "AuthDeviceTests",
      dependencies: [
        "AuthAccounts", "AuthCore", "AuthCoreTesting", "AuthDevice", "Programs", "Services", "TextFormat",
      ]),
    .testTarget(
      name: "AuthRulesTests",
      dependencies: [
        "AuthAccounts", "AuthRules", "ConcurrencyKit", "AuthAccountsTesting", "AuthCore", "AuthDevice", "AuthSQLite",
        "AuthCoreTesting", "DatabaseFiles", "Races", "Services", "TextFormat", "CCrypt",
      ]),
    .testTarget(
      name: "AuthSQLiteTests",
      dependencies: [
        "AuthAccounts", "AuthRules", "AuthAccountsTesting", "AuthCore", "AuthDevice", "AuthSQLite", "AuthCoreTesting",
        "DatabaseFiles", "Races", "Services",
      ]),
    .testTarget(
      name: "AuthServiceTests",
      dependencies: [
        "auth-cli", "auth-cli-least-cost", "auth-service", "auth-service-least-cost", "AuthAccounts", "AuthRules",
        "AuthAccountsTesting", "AuthCore", "AuthCoreTesting", "AuthDevice", "AuthServer", "AuthService",
        "AuthServiceProgram", "AuthSQLite", "ConcurrencyKit", "DatabaseFiles", "PostgresServers", "Programs", "Races",
        "Services", "Terminals", "TextFormat",
      ]),
    .testTarget(name: "TextFormatTests", dependencies: ["Programs", "TextFormat"]),
    .testTarget(
      name: "CommandLineKitTests", dependencies: ["CommandLineKit", "Programs", "Races", "Terminals", "TextFormat"]),
    .testTarget(
      name: "AuthCLITests",
      dependencies: [
        "auth-cli", "auth-cli-least-cost", "AuthAccounts", "AuthRules", "AuthCore", "AuthDevice", "AuthFullScreen",
        "AuthMessages", "AuthOAuth", "AuthScreens", "AuthService", "AuthSQLite", "AuthCLIProgram", "CommandLineKit",
        "DatabaseFiles",
        "Programs", "Races", "Terminals", "TextFormat", "race-tool", "transcript-tool",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// PostgreSQL behind the service needs libpq and its header; where it is not installed, all else is
// built. SwiftPM caches this answer: after libpq was installed or removed, use make, or run `swift
// package purge-cache`.
let headers = ["/usr/include/postgresql", "/usr/include", "/usr/local/include", "/opt/homebrew/include"]
if headers.contains(where: { FileManager.default.fileExists(atPath: $0 + "/libpq-fe.h") }) {
  package.targets += [
    .target(
      name: "AuthPostgres",
      dependencies: [
        "AuthAccounts", "AuthCore", "AuthDevice", "AuthRules", "ConcurrencyKit", "TextFormat", "CPostgres",
      ]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .testTarget(
      name: "AuthPostgresTests",
      dependencies: [
        "AuthAccounts", "AuthRules", "AuthAccountsTesting", "AuthCore", "AuthCoreTesting", "AuthDevice",
        "AuthPostgres", "AuthSQLite", "AuthServer", "AuthService", "DatabaseFiles", "PostgresServers", "Programs",
        "Races", "Services", "TextFormat",
      ]),
  ]
  for target in package.targets where target.name == "AuthServiceProgram" { target.dependencies.append("AuthPostgres") }
}

// The folders show the products: what an app imports, the accounts, the programs, and what all of
// them use. A test holds that modules import others of their own floor or of one below.
let floors = [
  "Sources/Library": [
    "Guards", "AuthCore", "AuthCoreTesting", "AuthDevice", "AuthOAuth",
  ],
  "Sources/Accounts": [
    "AuthAccounts", "AuthRules", "AuthSQLite", "AuthPostgres", "AuthService", "AuthServer",
  ],
  "Sources/Programs": [
    "auth-cli", "AuthCLIProgram", "AuthFullScreen", "AuthScreens", "auth-service", "AuthServiceProgram",
    "AuthMessages", "CommandLineKit",
  ],
  "Sources/System": [
    "ConcurrencyKit", "TextFormat", "CCrypt", "CPostgres", "CProcess", "CSQLite", "CSocket", "CVersion",
  ],
  "Tests/Library": [
    "GuardsTests", "AuthCoreTests", "AuthDeviceTests", "AuthOAuthTests", "session-tool", "race-tool",
  ],
  "Tests/Accounts": [
    "AuthRulesTests", "AuthSQLiteTests", "AuthPostgresTests", "AuthServiceTests", "auth-service-least-cost",
    "AuthAccountsTesting",
  ],
  "Tests/Programs": [
    "AuthCLITests", "CommandLineKitTests", "auth-cli-least-cost", "transcript-tool",
  ],
  "Tests/System": [
    "TextFormatTests"
  ],
  "Tests/Support": [
    "DatabaseFiles", "PostgresServers", "Programs", "PublishedForms", "Races", "Services", "Terminals",
  ],
]
for (floor, names) in floors {
  for target in package.targets where names.contains(target.name) { target.path = "\(floor)/\(target.name)" }
}

// ONLY="AuthCoreTests GuardsTests" builds these targets and what they need, and nothing else: fast
// in everyday work, and necessary for the model check and Thread Sanitizer.
if let only = Context.environment["ONLY"], !only.isEmpty {
  var kept = Set<String>()
  var added = only.split(separator: " ").map(String.init)
  while let name = added.popLast() {
    guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for case .byNameItem(let name, _) in target.dependencies { added.append(name) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { !kept.contains($0.name) }
}

for target in package.targets where target.type != .system && target.name != "CVersion" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
