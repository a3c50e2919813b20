@testable import AuthCore

// The encoding of work under way.
extension ModelEncoder {
  mutating func write(_ work: ModelWork) {
    bytes.append(work.effect.kind.rawValue)
    write(work.isOverdue)
    if let epoch = work.epoch { write(brought: epoch) }
    switch work.effect {
    case .read, .drain, .forget, .closeKeys, .notify: break
    case .answer(_, let challenge, let record):
      write(challenge)
      if let record { write(token: record.token) } else { bytes.append(Self.none) }
    case .withdraw(let challenge): write(challenge)
    case .authenticate: write(user: work.user)
    case .reauthenticate(_, let record), .renew(_, let record), .confirm(let record):
      write(token: record.token)
      write(brought: record.began)
    case .discard(let token), .discardSaved(let token): write(token: token.number)
    case .save(_, let grant): write(token: grant.token.number)
    case .exchange(_, let old, let new):
      write(token: old.number)
      write(token: new.token.number)
    case .revoke(_, let targets, let reason):
      write(targets)
      write(reason)
    case .erase(_, let targets): write(targets)
    }
    switch work.stage {
    case .waiting(let token, let hasFailed):
      bytes.append(hasFailed ? 249 : Self.none)
      if let token { token == ModelWorld.nothing ? bytes.append(Self.unknown) : write(token: token) }
    case .asking(let token, let hasFailed):
      bytes.append(hasFailed ? 253 : 252)
      if let token { write(token: token) }
    case .returning(let event, let isFailure):
      bytes.append(isFailure ? 251 : 250)
      write(event)
    }
  }

  private mutating func write(_ event: SessionEvent) {
    switch event {
    case .restored(_, .found(let grant)), .authenticated(_, .granted(let grant)), .renewed(_, .granted(let grant)):
      bytes.append(0)
      write(token: grant.token.number)
    case .restored(_, .absent), .authenticated(_, .failed), .saved(_, _, .done): bytes.append(1)
    case .restored(_, .ended(let reason, let token)):
      bytes.append(2)
      write(reason)
      write(token: token.number)
    case .restored(_, .obstructed(let obstacle)): write(obstacle)
    case .renewed(_, .ended(let reason)):
      bytes.append(3)
      write(reason)
    case .renewed(_, .superseded), .saved(_, _, .superseded): bytes.append(4)
    case .renewed(_, .failed), .saved(_, _, .failed): bytes.append(5)
    case .authenticated(_, .challenged(let challenge)), .renewed(_, .challenged(let challenge)):
      bytes.append(7)
      write(challenge)
    case .revoked(_, let done): write(done)
    case .erased(_, let left): write(left)
    case .recognized, .drained, .timedOut, .command, .limitReached, .ended:
      bytes.append(6)
    }
  }
}
