import AuthBackend
import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit

/// A login with a code that the user enters on another device (RFC 8628).
struct DeviceLogin {
  let device: DeviceAuthorization
  let style: Style
  private static let indent = "    "

  /// Shows the code and the remaining time, and waits until the user has entered it.
  func credentials() async throws(CommandError) -> Credentials {
    let terminal = try Question(for: "login", insteadUse: "it in a terminal", isEchoed: false)
    try terminal.say("Open this address on any device, and enter the code:")
    try terminal.say("")
    try terminal.say(Self.indent + device.verificationURI)
    // Not escaped, because the code has only visible characters and spaces.
    try terminal.show(Self.indent + style.bold(device.userCode) + "\n\n")
    for line in picture(on: terminal) { try terminal.show(line + "\n") }
    // The line with the remaining time has no line end.
    defer { try? terminal.show("\n") }
    while true {
      let next = SuspendingClock.now + (try explained { () throws(OAuthError) in try device.nextWait() })
      while SuspendingClock.now < next {
        let left = try explained { () throws(OAuthError) in try device.timeLeft() }
        try terminal.show("\rThe code is valid for \(Self.clock(left)). ")
        _ = try terminal.wait(for: [], until: min(next, SuspendingClock.now + .seconds(1)))
      }
      if let credentials = try await explainedAsync({ () async throws(OAuthError) in try await device.ask() }) {
        return credentials
      }
    }
  }

  /// The lines of a QR code with the address and the code; empty if it does not fit below the text.
  private func picture(on terminal: borrowing Question) -> [String] {
    let text = device.completeVerificationURI ?? device.verificationURI
    let columns = QRCode.columns(of: text)
    let size = terminal.size
    // A line shows two rows of the QR code. Six lines are text.
    guard columns <= size.columns, columns / 2 + 6 < size.rows, !Environment.hasOtherEncoding else { return [] }
    return QRCode.lines(text, onStream: true)
  }

  /// A time as minutes and seconds, always of the same length: `09:58`.
  private static func clock(_ time: Duration) -> String {
    let seconds = time.wholeSeconds
    return [seconds / 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
