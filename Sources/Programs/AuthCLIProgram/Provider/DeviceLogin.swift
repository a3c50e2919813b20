import AuthAccounts
import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

extension OAuthServer {
  /// Throws if the server has no login with a code.
  func requireDeviceLogin() throws(CommandError) {
    if endpoints[.deviceAuthorization] == nil { throw CommandError(code: .deviceLoginMissing, issuer.escaped) }
  }
}

/// A login with a code that the user enters on another device (RFC 8628).
struct DeviceLogin {
  let device: DeviceAuthorization
  let style: Style
  private static let indent = "    "

  /// Shows the code and the remaining time, and waits until the user has entered it.
  func credentials(on console: borrowing LoginConsole) async throws(CommandError) -> Credentials {
    let left = try explained { () throws(OAuthError) in try device.timeLeft() }
    let lines = ["Open this address on any device, and enter the code:", "", Self.indent + device.verificationURI]
    let size = console.size
    try console.say(
      size != nil
        ? lines : lines + [Self.indent + device.userCode, "", "The code is valid for \(Self.clock(left))."],
      [
        "user_code": .string(device.userCode), "verification_uri": .string(device.verificationURI),
        "verification_uri_complete": .string(orNull: device.completeVerificationURI),
        "expires_in": .integer(left.wholeSeconds),
      ])
    // Not escaped, because the code has only visible characters and spaces.
    try console.draw(Self.indent + style.bold(device.userCode) + "\n\n")
    for line in size.map(picture) ?? [] { try console.draw(line + "\n") }
    // The line with the remaining time has no line end.
    defer { try? console.draw("\n") }
    while true {
      let next = SuspendingClock.now + (try explained { () throws(OAuthError) in try device.nextWait() })
      while SuspendingClock.now < next {
        let left = try explained { () throws(OAuthError) in try device.timeLeft() }
        try console.draw("\rThe code is valid for \(Self.clock(left)). ")
        _ = try console.wait(for: [], until: min(next, SuspendingClock.now + .seconds(1)))
      }
      if let credentials = try await explainedAsync({ () async throws(OAuthError) in try await device.ask() }) {
        return credentials
      }
    }
  }

  /// The lines of a QR code with the address and the code; empty if it does not fit below the text.
  private func picture(_ size: (columns: Int, rows: Int)) -> [String] {
    let text = device.completeVerificationURI ?? device.verificationURI
    let columns = QRCode.columns(of: text)
    // A line shows two rows of the QR code. Six lines are text.
    guard columns <= size.columns, columns / 2 + 6 < size.rows, !Environment.hasOtherEncoding else { return [] }
    return QRCode.lines(text, onStream: true) ?? []
  }

  /// A time as minutes and seconds, always of the same length: `09:58`.
  private static func clock(_ time: Duration) -> String {
    let seconds = time.wholeSeconds
    return [seconds / 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
