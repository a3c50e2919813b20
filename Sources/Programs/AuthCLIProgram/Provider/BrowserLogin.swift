import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit
import ConcurrencyKit
import Glibc
import TextFormat

/// A login with the browser on this machine (RFC 8252).
struct BrowserLogin {
  let url: String
  /// The longest wait for the browser: long enough to create an account there.
  private static let timeLimit = Duration.seconds(900)

  /// Starts the browser and waits until it returns with an address that `check` accepts.
  func credentials(
    from listener: LoopbackListener, on console: borrowing LoginConsole,
    _ check: (String) throws(OAuthError) -> Credentials
  ) throws(CommandError) -> Credentials {
    // Switches the echo off before the browser opens: what was typed until then is discarded, also
    // ^D.
    try console.discardTyped()
    let isStarted = Browser.open(url)
    let time = "within \(Self.timeLimit.words)"
    let words =
      isStarted
      ? "Log in with your browser, \(time). If it does not open, go to this address:"
      : "No browser could be started. Open this address in one, \(time):"
    try console.say([words, url], ["authorization_url": .string(url)])
    let deadline = SuspendingClock.now + Self.timeLimit
    while SuspendingClock.now < deadline {
      let ready = try console.wait(for: listener.descriptors, until: deadline)
      let credentials = try explained { () throws(OAuthError) in try listener.respond(to: ready, then: .process, check)
      }
      if let credentials { return credentials }
    }
    throw .timedOut(Self.timeLimit)
  }
}

/// The user's web browser.
enum Browser {
  /// Whether a browser that is started here can be seen by the user: there is a display, or
  /// `$BROWSER` names a program, which may need none.
  static var isHere: Bool { (hasDisplay || isSet("BROWSER")) && !isOverSSH }

  /// Whether a browser that is started here cannot be seen by the user.
  static var isUnseen: Bool { isOverSSH && !hasDisplay }

  private static var hasDisplay: Bool { isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") }
  private static var isOverSSH: Bool { isSet("SSH_CONNECTION") || isSet("SSH_TTY") }

  private static func isSet(_ name: String) -> Bool { Environment.value(name)?.isEmpty == false }

  /// Opens an address with the first program of `$BROWSER` that can be started, or `xdg-open`.
  ///
  /// The program gets none of our descriptors, and what it prints is discarded.
  ///
  /// - Returns: Whether a program was started.
  static func open(_ url: String) -> Bool {
    // Also the descriptors that this program inherited.
    for descriptor in STDERR_FILENO + 1..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 1 << 16)) {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    return commands(for: url).contains { words in
      let started = ChildProgram.start(words) { actions in
        for descriptor in STDIN_FILENO...STDERR_FILENO {
          posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
      }
      guard let started else { return false }
      // Otherwise it would stay a zombie until this program ends.
      _ = startThread(blockingSignals: true) { waitpid(started, nil, 0) }
      return true
    }
  }

  /// The commands that may open an address.
  ///
  /// `$BROWSER` has commands between colons, in which `%s` is the address; otherwise it is the last
  /// argument (xdg-open(1)). No shell reads them.
  private static func commands(for url: String) -> [[String]] {
    let chosen = (Environment.value("BROWSER") ?? "").split(separator: ":").map {
      $0.split(separator: " ").map(String.init)
    }
    return (chosen.filter { !$0.isEmpty } + [["xdg-open"]]).map { words in
      words.contains { $0.contains("%s") } ? words.map { $0.replacing("%s", with: url) } : words + [url]
    }
  }
}
