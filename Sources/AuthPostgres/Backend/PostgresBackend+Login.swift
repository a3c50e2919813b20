package import AuthBackend
package import AuthCore
import AuthLocal
import Glibc

/// Logging in: ask for the setting, hash, have the guess counted, have it judged.
extension PostgresBackend {
  package func logIn(_ credentials: Credentials, limits: LimitRequest) throws(BackendError) -> Grant {
    let password = try? NormalizedPassword(credentials.password)
    let name = (try? Username(credentials.username))?.canonical
    let nameHash = UnknownName.hash(of: credentials.username)
    let secret = try Secrets.random(count: ServerSchema.tokenLength)
    let origin = origin()
    return try judged(
      password,
      setting: { () throws(BackendError) in
        let answer = try server.first(
          try server.call("setting", [.text(name), .bytes(name == nil ? nameHash : nil)], .none))
        try take(answer)
        return answer.text(2)
      },
      count: { (ticket, setting, proof, again) throws(BackendError) in
        try server.first(
          try server.call(
            "start_login",
            [
              .bytes(ticket), .text(name), .bytes(name == nil ? nameHash : nil), .text(setting), .bytes(proof),
              .flag(again),
            ], .repeatable))
      },
      judge: { (ticket, proof, better) throws(BackendError) in
        try server.first(
          try server.call(
            "finish_login",
            [
              .bytes(ticket), .bytes(proof), .bytes(secret), .text(label), .number(limits.idle?.wholeNanoseconds),
              .number(limits.absolute?.wholeNanoseconds), .text(better?.setting), .bytes(better?.verifier),
              .text(origin?.terminal), .text(origin?.program), .text(origin?.host),
            ], .repeatable))
      }, secret: secret)
  }

  package func reauthenticate(
    _ token: SessionToken, password typed: Password, requesting limits: LimitRequest
  ) throws(BackendError) -> Grant {
    let secret = try Secrets.random(count: ServerSchema.tokenLength)
    return try judged(
      try? NormalizedPassword(typed),
      setting: { () throws(BackendError) in try server.first(try call("own_setting", token, [], .none)).text(2) },
      count: { (ticket, setting, proof, again) throws(BackendError) in
        try ticketed(
          "start_reauthentication", ticket, token, [.text(setting), .bytes(proof), .flag(again)])
      },
      judge: { (ticket, proof, better) throws(BackendError) in
        try ticketed(
          "finish_reauthentication", ticket, token,
          [
            .bytes(proof), .bytes(secret), .number(limits.idle?.wholeNanoseconds),
            .number(limits.absolute?.wholeNanoseconds), .text(better?.setting), .bytes(better?.verifier),
          ])
      }, secret: secret)
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
    let secret = try Secrets.random(count: ServerSchema.tokenLength)
    return try judged(
      known,
      setting: { () throws(BackendError) in try server.first(try call("own_setting", token, [], .none)).text(2) },
      count: { (ticket, setting, proof, again) throws(BackendError) in
        try ticketed("start_reauthentication", ticket, token, [.text(setting), .bytes(proof), .flag(again)])
      },
      judge: { (ticket, proof, _) throws(BackendError) in
        try ticketed(
          "finish_password_change", ticket, token,
          [.bytes(proof), .bytes(secret), .text(Self.setting(of: hash)), .bytes(SHA256.hash(hash.utf8))])
      }, secret: secret)
  }

  private func ticketed(
    _ function: String, _ ticket: [UInt8], _ token: SessionToken, _ arguments: [Argument]
  ) throws(BackendError) -> Answer {
    let token = ServerToken(token)
    try require(token)
    return try server.first(
      try server.call(function, [.bytes(ticket), .bytes(token.secret)] + arguments, .repeatable))
  }

  /// A hash of the same password at the cost of now, for an account whose hash is cheaper.
  private struct BetterHash {
    let setting: String
    let verifier: [UInt8]
  }

  private func judged(
    _ password: NormalizedPassword?, setting ask: () throws(BackendError) -> String?,
    count: (_ ticket: [UInt8], _ setting: String, _ proof: [UInt8], _ again: Bool) throws(BackendError) -> Answer,
    judge: (_ ticket: [UInt8], _ proof: [UInt8], _ better: BetterHash?) throws(BackendError) -> Answer,
    secret: [UInt8]
  ) throws(BackendError) -> Grant {
    // Once more for each change of the hash meanwhile, by a new password or by another login.
    for _ in 0..<4 {
      guard let setting = try ask() else { throw server.malformed() }
      let proof = try hasher.hash(password, setting: setting)
      let better = try better(password, than: setting)
      let ticket = try Secrets.random(count: 16)
      let counted = try heard(ticket, setting, SHA256.hash(proof), count)
      if counted.text(0) == "setting_changed" { continue }
      let answer = try judge(ticket, proof, better)
      if answer.text(0) == "setting_changed" { continue }
      try take(answer)
      guard answer.text(0) == "ok" else { throw server.malformed() }
      return try grant(answer, secret: secret)
    }
    throw .unavailable(
      .busy, "database_busy", "The password of the account was changed while it was looked at.",
      hint: "Try again; nothing was changed.")
  }

  /// Made for every setting of lower cost, a made-up one too, and before the server says anything
  /// of the password or of a wait: all refusals cost the same.
  private func better(_ password: NormalizedPassword?, than setting: String) throws(BackendError) -> BetterHash? {
    guard hasher.isOutdated(setting), let password else { return nil }
    let hash = try hasher.hash(password)
    return BetterHash(setting: Self.setting(of: hash), verifier: SHA256.hash(hash.utf8))
  }

  /// The beginning of a hash, up to the last `$`.
  static func setting(of hash: String) -> String {
    guard let end = hash.utf8.lastIndex(of: UInt8(ascii: "$")) else { return hash }
    return String(hash[..<end])
  }

  /// Has an attempt counted, and waits while others are being looked at that may end the wait.
  private func heard(
    _ ticket: [UInt8], _ setting: String, _ proof: [UInt8],
    _ count: (_ ticket: [UInt8], _ setting: String, _ proof: [UInt8], _ again: Bool) throws(BackendError) -> Answer
  ) throws(BackendError) -> Answer {
    let deadline = ContinuousClock.now + .seconds(5)
    var again = false
    var round = 0
    while true {
      let answer = try count(ticket, setting, proof, again)
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
