import Foundation
import Glibc
import Programs
import Testing

@Suite("The units of systemd")
struct InstallationTests {
  private static let analyze = "/usr/bin/systemd-analyze"
  private static let hasSystemd = access(analyze, X_OK) == 0

  /// The units, with a program that exists.
  private func units() throws -> String {
    var name = Array("/tmp/units-XXXXXX".utf8CString)
    try #require(mkdtemp(&name) != nil)
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for unit in ["auth-service.service", "auth-service.socket"] {
      let text = try String(contentsOfFile: "fixtures/systemd/\(unit)", encoding: .utf8)
      try text.replacingOccurrences(of: "/usr/bin/auth-service", with: "/bin/true")
        .write(toFile: "\(folder)/\(unit)", atomically: false, encoding: .utf8)
      // Another test may have changed the mask of the process, and systemd warns of what all may write.
      try #require(chmod("\(folder)/\(unit)", 0o644) == 0)
    }
    return folder
  }

  @Test("systemd finds nothing wrong with them", .enabled(if: hasSystemd, "systemd-analyze is not installed"))
  func verify() async throws {
    let folder = try units()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outcome = try await Program(
      Self.analyze, ["verify", "--man=no", "\(folder)/auth-service.service", "\(folder)/auth-service.socket"],
      timeLimit: .seconds(60)
    ).run()
    #expect(outcome.ending == .exited(0) && outcome.text.isEmpty, "\(outcome.text)")
  }

  @Test(
    "systemd calls their exposure at most 0.6 of 10",
    .enabled(if: hasSystemd, "systemd-analyze is not installed"))
  func exposure() async throws {
    let folder = try units()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outcome = try await Program(
      Self.analyze, ["security", "--offline=yes", "--threshold=6", "\(folder)/auth-service.service"],
      timeLimit: .seconds(60)
    ).run()
    #expect(outcome.ending == .exited(0), "\(outcome.text.suffix(200))")
  }

  @Test("peers keep their user ids")
  func privateUsers() throws {
    let text = try String(contentsOfFile: "fixtures/systemd/auth-service.service", encoding: .utf8)
    #expect(!text.contains("\nPrivateUsers=") && !text.contains("\nDynamicUser="))
  }
}
