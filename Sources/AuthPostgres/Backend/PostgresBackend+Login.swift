package import AuthBackend
package import AuthCore
import AuthDevice
import Glibc
import TextFormat

/// Logging in: ask for the setting, hash, have the guess counted, have it judged.
extension PostgresBackend {
  package func logIn(_ credentials: Credentials, limits: LimitRequest) throws(BackendError) -> Grant {
    let password = try? NormalizedPassword(credentials.password)
    let name = (try? Username(credentials.username))?.canonical
    return try judged(
      password,
      setting: { () throws(BackendError) in
        let answer = try server.first(try server.call("setting", [.text(name), .bytes(nil)], .none))
        try take(answer)
        return answer.text(2)
      },
      asking: .login(name: name, origin: origin(), limits: limits))
  }

  package func reauthenticate(
    _ token: SessionToken, password typed: Password, requesting limits: LimitRequest
  ) throws(BackendError) -> Grant {
    try judged(
      try? NormalizedPassword(typed),
      setting: { () throws(BackendError) in try server.first(try call("own_setting", token, [], .none)).text(2) },
      asking: .reauthentication(token, limits: limits))
  }

  /// Changes the password of the session's user, if `present` is still the password at that moment.
  package func changePassword(
    from present: Password, to new: Password, token: SessionToken
  ) throws(BackendError) -> Grant {
    let allowed = try server.first(try call("may_change_password", token, [], .none))
    guard let name = allowed.text(3) else { throw server.malformed() }
    let accepted = try PasswordPolicy.accept(new, for: try Username(name))
    let known = try? NormalizedPassword(present)
    guard accepted.text != known?.text else { throw .passwordUnchanged }
    let hash = try hasher.hash(accepted)
    return try judged(
      known,
      setting: { () throws(BackendError) in try server.first(try call("own_setting", token, [], .none)).text(2) },
      asking: .passwordChange(token, BetterHash(hash)))
  }

  /// Has a guess counted: a proof of the password, and a code where one was asked for.
  private func count(
    _ guess: Guess, for request: StepRequest, _ ticket: [UInt8], again: Bool
  ) throws(BackendError) -> Answer {
    let rest: [Argument] = [
      .text(guess.setting), .bytes(SHA256.hash(guess.proof)), .bytes(guess.code.map { SHA256.hash($0) }), .flag(again),
    ]
    switch request {
    case .login(let name, _, _):
      return try server.first(
        try server.call("start_login", [.bytes(ticket), .text(name), .bytes(nil)] + rest, .repeatable))
    case .reauthentication(let token, _), .passwordChange(let token, _):
      return try ticketed("start_reauthentication", ticket, token, rest)
    }
  }

  /// Has a counted guess judged.
  private func judge(
    _ guess: Guess, for request: StepRequest, _ ticket: [UInt8], secret: [UInt8]
  ) throws(BackendError) -> Answer {
    let better: [Argument] = [.text(guess.better?.setting), .bytes(guess.better?.verifier)]
    switch request {
    case .login(_, let origin, let limits):
      return try server.first(
        try server.call(
          "finish_login",
          [
            .bytes(ticket), .bytes(guess.proof), .bytes(secret), .text(label), .number(limits.idle?.wholeNanoseconds),
            .number(limits.absolute?.wholeNanoseconds),
          ] + better
            + [
              .text(origin?.terminal), .text(origin?.program), .text(origin?.host), .bytes(guess.code),
            ], .repeatable))
    case .reauthentication(let token, let limits):
      return try ticketed(
        "finish_reauthentication", ticket, token,
        [
          .bytes(guess.proof), .bytes(secret), .number(limits.idle?.wholeNanoseconds),
          .number(limits.absolute?.wholeNanoseconds),
        ] + better + [.bytes(guess.code)])
    case .passwordChange(let token, let new):
      return try ticketed(
        "finish_password_change", ticket, token,
        [.bytes(guess.proof), .bytes(secret), .text(new.setting), .bytes(new.verifier)])
    }
  }

  /// Has a guess counted and judged.
  ///
  /// - Returns: Nil when the password of the account was changed before that.
  func judged(_ guess: Guess, for request: StepRequest) throws(BackendError) -> Grant? {
    let secret = try Secrets.random(count: ServerSchema.tokenLength)
    let ticket = try Secrets.random(count: 16)
    let counted = try heard { (again) throws(BackendError) in
      try count(guess, for: request, ticket, again: again)
    }
    if counted.text(0) == "setting_changed" { return nil }
    let answer = try judge(guess, for: request, ticket, secret: secret)
    if answer.text(0) == "setting_changed" { return nil }
    try take(answer)
    if answer.text(0) == "challenged" {
      throw .challenged(
        steps.open(
          for: PasswordAccepted(guess: guess, step: request),
          token: SessionToken(bytes: try Secrets.random(count: ServerSchema.tokenLength)), at: try instant(of: answer)))
    }
    guard answer.text(0) == "ok" else { throw server.malformed() }
    return try grant(answer, secret: secret)
  }

  func ticketed(
    _ function: String, _ ticket: [UInt8], _ token: SessionToken, _ arguments: [Argument]
  ) throws(BackendError) -> Answer {
    let token = ServerToken(token)
    try require(token)
    return try server.first(
      try server.call(function, [.bytes(ticket), .bytes(token.secret)] + arguments, .repeatable))
  }

  private func judged(
    _ password: NormalizedPassword?, setting ask: () throws(BackendError) -> String?, asking request: StepRequest
  ) throws(BackendError) -> Grant {
    // Once more for each change of the hash meanwhile, by a new password or by another login.
    for _ in 0..<4 {
      guard let setting = try ask() else { throw server.malformed() }
      let guess = Guess(
        setting: setting, proof: try proof(of: password, setting: setting),
        better: try better(password, than: setting), code: nil)
      if let grant = try judged(guess, for: request) { return grant }
    }
    throw .unavailable(
      .busy, "database_busy", "The password of the account was changed while it was looked at.",
      hint: "Try again; nothing was changed.")
  }

  /// The hash of a password under the setting that the server names.
  ///
  /// - Throws: ``BackendError`` (`server_setting_refused`) for a hash of another kind or cost, which
  ///   could be guessed fast, or fill the memory.
  func proof(of password: NormalizedPassword?, setting: String) throws(BackendError) -> [UInt8] {
    if hasher.accepts(setting: setting) { return try hasher.hash(password, setting: setting) }
    throw .unavailable(
      .unparsable, "server_setting_refused",
      "The database at \(server.place) asks for a password hash that this program does not make: '\(String(setting.prefix(16)).escaped)'.",
      hint: "Nothing of the password was sent. If this is the right server, install the newest version.")
  }

  /// Made for every setting of lower cost, a made-up one too, and before the server says anything
  /// of the password or of a wait: all refusals cost the same.
  private func better(_ password: NormalizedPassword?, than setting: String) throws(BackendError) -> BetterHash? {
    guard hasher.isOutdated(setting), let password else { return nil }
    return BetterHash(try hasher.hash(password))
  }

  /// The beginning of a hash, up to the last `$`.
  static func setting(of hash: String) -> String {
    guard let end = hash.utf8.lastIndex(of: UInt8(ascii: "$")) else { return hash }
    return String(hash[..<end])
  }

  /// Has an attempt counted, and waits while others are being looked at that may end the wait.
  func heard(_ count: (_ again: Bool) throws(BackendError) -> Answer) throws(BackendError) -> Answer {
    let deadline = ContinuousClock.now + .seconds(5)
    var again = false
    var round = 0
    while true {
      let answer = try count(again)
      try take(answer)
      let wait = Throttle.wait(.nanoseconds(answer.number(2) ?? 0))
      switch answer.text(0) {
      case "hear", "setting_changed": return answer
      case "wait": throw .throttled(wait)
      case "locked": throw .throttled(.locked)
      case "retry":
        guard ContinuousClock.now < deadline else { throw .throttled(wait) }
        var pause = timespec(tv_sec: 0, tv_nsec: .random(in: 2_000_000...min(8_000_000 << round, 60_000_000)))
        nanosleep(&pause, nil)
        round = min(round + 1, 3)
        again = true
      case _: throw server.malformed()
      }
    }
  }
}
