// The work that exchanges the token of a session under a lock, for an authority that spends the
// old token when it grants a new one.
extension SessionCore {
  var spendsTokens: Bool { authority.exchange == .spendsOld }

  /// The longest wait for the lock of another store: a request of its holder may take long.
  var lockWait: Duration { timing.renewalStep * 5 / 6 }

  func renewLocked(_ record: SessionRecord) async -> Answered {
    let token = record.grant.token
    do throws(VaultError) {
      switch try await vault.lockExchange(of: token, wait: lockWait) {
      case .changed: return (.superseded, nil)
      case .busy(let holder): return (.failed, .vault(holder))
      case .refused(let reason): return (.ended(reason), nil)
      case .failed(let cause): return (.failed, cause.failure)
      case .acquired(let lock):
        let end = try await exchange(token, of: record.grant, under: lock)
        // The machine confirms only another token.
        if case .replaced(let grant) = end, grant.token == token {
          executor.start { await self.confirm(record.continued(by: grant)) }
        }
        return answered(end, record, ifSuperseded: nil)
      }
    } catch {
      return (.failed, .vault(error))
    }
  }

  /// Asks the authority under a lock, so that no other store spends the token meanwhile.
  ///
  /// The lock is that of the newest token: another process may have exchanged this one long ago.
  func askLocked(_ record: SessionRecord, _ ask: (SessionToken) async -> Answered) async -> Answered {
    var token = record.grant.token
    // A login may lift what the authority refuses to renew.
    var isRefused = false
    var wait = lockWait
    do throws(VaultError) {
      for _ in 1...Self.mostReads {
        let locked: ExchangeLockResult
        do throws(VaultError) {
          locked = try await vault.lockExchange(of: token, wait: wait)
        } catch {
          return (.failed, .vault(error))
        }
        switch locked {
        case .changed:
          guard let newer = await newestToken(of: record.grant.id), newer != token else {
            return (.superseded, .overtaken)
          }
          token = newer
        case .busy(let holder): return (.failed, .vault(holder))
        case .refused(let reason): return (.ended(reason), nil)
        // The pause after a failure is for renewals, and this may be a new login.
        case .failed(let cause) where cause.isUnsent && wait > .zero: wait = .zero
        case .failed(let cause): return (.failed, cause.failure)
        case .acquired(let lock) where !isRefused && lock.interrupted != nil || hasUnsaved(token):
          // This token may be spent: save the one that replaced it, and lock that.
          let end = try await exchange(token, of: record.grant, under: lock)
          switch end {
          case .replaced(let grant): token = grant.token
          case .failed(.unavailable(let cause)) where cause.cause == .refused: isRefused = true
          case .vanished, .ended, .notSaved, .failed: return answered(end, record, ifSuperseded: .overtaken)
          }
        case .acquired(let lock):
          let answered = await ask(token)
          guard case .granted(let grant) = answered.answer, grant.token != token else {
            _ = try await lock.release(.unsent)
            return answered
          }
          return try await save(lock, grant, insteadOf: token) ? answered : (.superseded, .overtaken)
        }
      }
      return (.failed, .unavailable(.restless))
    } catch {
      return (.failed, .notSaved(error))
    }
  }

  /// Finishes the exchange of a saved token that a process began and never finished, or whose new
  /// token this one could not save; nil if there is none, or if the authority gave no answer.
  ///
  /// The request of a process that died may still be under way; its answer is awaited.
  func finish(_ token: SessionToken, _ reads: Int) async -> SessionEvent.Restored? {
    guard await vault.isInterrupted(token) || hasUnsaved(token) else { return nil }
    do throws(VaultError) {
      switch try await vault.lockExchange(of: token, wait: lockWait) {
      case .changed: return await findOut(nil, reads: reads + 1)
      case .busy(let holder): return .obstructed(.vault(holder))
      case .refused(let reason): return .ended(reason, token)
      case .failed: return nil
      case .acquired(let lock): return try await finish(token, lock)
      }
    } catch {
      return .obstructed(.vault(error))
    }
  }

  private func finish(
    _ token: SessionToken, _ lock: any ExchangeLock
  ) async throws(VaultError) -> SessionEvent.Restored? {
    switch try await exchange(token, of: nil, under: lock) {
    case .replaced(let grant):
      guard let reason = grant.flaw(on: clock) else { return .found(grant) }
      revokeInBackground(grant.token, reason)
      return .ended(reason, grant.token)
    case .vanished: return .absent
    case .ended(let reason): return .ended(reason, token)
    case .notSaved(let failure): return .obstructed(.vault(failure))
    case .failed: return nil
    }
  }

  /// Decides about a saved token that the authority refused.
  ///
  /// Another process may just be exchanging it. Only under the lock is it the newest one, and only
  /// then has the session ended.
  func judge(_ token: SessionToken, _ rejection: SessionRejection, _ reads: Int) async -> SessionEvent.Restored {
    do throws(VaultError) {
      switch try await vault.lockExchange(of: token, wait: lockWait) {
      case .changed: return await findOut(nil, reads: reads + 1)
      case .busy(let holder): return .obstructed(.vault(holder))
      case .refused(let reason): return .ended(reason, token)
      case .failed(let cause): return .obstructed(.authority(cause))
      case .acquired(let lock) where lock.interrupted != nil:
        return try await finish(token, lock) ?? .obstructed(.authority(.late))
      case .acquired(let lock):
        let reason = if case .ended(let ended) = rejection { ended } else { EndReason.revoked }
        _ = try await lock.release(.refused(reason))
        return .ended(reason, token)
      }
    } catch {
      return .obstructed(.vault(error))
    }
  }

  /// The token in the vault, if it belongs to a session.
  func newestToken(of session: SessionID?) async -> SessionToken? {
    guard let session, case .token(let token, let details) = await vault.load(), details.session == session else {
      return nil
    }
    return token
  }
}
