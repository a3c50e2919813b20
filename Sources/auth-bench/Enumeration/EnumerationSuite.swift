import AuthBackend
import AuthCore
import AuthDevice
import AuthSQLite
import TextFormat

extension Suite {
  /// Whether the time of a refusal tells an account from none: hashes of the standard cost, names
  /// that were never tried before.
  static let enumeration = Suite(
    name: "enumeration", summary: "refused logins and codes at the standard cost, a fresh name each time", isDear: true,
    rounds: { $0.isQuick ? 20 : 200 },
    benchmarks: { options in
      let directory = try BenchDirectory()
      let home = try BenchHome("home", in: directory)
      try home.sql { try $0.execute(accounts(options.isQuick ? 21 : 201)) }
      let authority = LocalAuthority(directory: home.path)
      func refused(_ kind: String) -> () -> Void {
        var next = 0
        return {
          next += 1
          withExtendedLifetime(home) { refuse("\(kind)\(next)", at: authority) }
        }
      }
      func recovering(_ kind: String, _ code: RecoveryCode) -> () -> Void {
        var next = 0
        return {
          next += 1
          withExtendedLifetime(home) { refuse("\(kind)\(next)", code, at: authority) }
        }
      }
      return [
        Benchmark("unknown name", refused("nobody")),
        Benchmark("wrong password", against: "unknown name", goal: .within(1.05), refused("wrong")),
        Benchmark("disabled account", against: "unknown name", goal: .within(1.05), refused("disabled")),
        Benchmark("recover: unknown name", recovering("nocode", wrongCode)),
        Benchmark(
          "recover: wrong code", against: "recover: unknown name", goal: .within(1.05), recovering("wrong", wrongCode)),
        Benchmark(
          "recover: a code of somebody else", against: "recover: unknown name", goal: .within(1.05),
          recovering("other", code)),
        Benchmark(
          "recover: disabled account", against: "recover: unknown name", goal: .within(1.05),
          recovering("disabled", code)),
      ]
    })
}

/// A code of alice and of the disabled accounts, and one of nobody.
private let code = RecoveryCode(typed: Array(repeating: UInt8(ascii: "2"), count: RecoveryCode.length))
private let wrongCode = RecoveryCode(typed: Array(repeating: UInt8(ascii: "3"), count: RecoveryCode.length))

/// So many accounts of each kind, with the hash of alice's password.
private func accounts(_ count: Int) -> String {
  """
  WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(count)),
    kinds(kind, disabled) AS (VALUES ('wrong', 0), ('other', 0), ('disabled', 1))
  INSERT INTO accounts(name, display_name, role, password_hash, disabled, created_at)
  SELECT kind || n, kind || n, 'member', (SELECT password_hash FROM accounts WHERE id = 1), disabled, 0
  FROM c CROSS JOIN kinds;
  INSERT INTO codes(account, code_hash)
  SELECT id, x'\(Hex.text(SHA256.hash(code.canonical)))' FROM accounts WHERE id = 1 OR disabled
  """
}

private func refuse(_ name: String, at authority: LocalAuthority) {
  // The right password, which a disabled account must not be told by either.
  let password = name.hasPrefix("wrong") ? "not the password of anybody" : BenchHome.password
  do throws(BackendError) {
    _ = try authority.logIn(Credentials(username: name, password: Password(password)), limits: .standard)
  } catch {
    if error.kind == .credentials { return }
    preconditionFailure("the login of \(name) was refused for another reason: \(error)")
  }
  preconditionFailure("the login of \(name) was accepted")
}

private func refuse(_ name: String, _ code: RecoveryCode, at authority: LocalAuthority) {
  do throws(BackendError) {
    _ = try authority.recover(username: name, code: code, password: Password("a new password of mine"))
  } catch {
    if error.kind == .credentials { return }
    preconditionFailure("the code for \(name) was refused for another reason: \(error)")
  }
  preconditionFailure("a code opened the account \(name)")
}
