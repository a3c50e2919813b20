package import AuthAccounts
package import AuthCore
import TextFormat

extension Rules {
  /// Creates a proof for the account of a tool.
  ///
  /// Its answer tells which names have accounts, so it counts unknown names as a payment does.
  package func prove(to tool: Username, token: SessionToken) throws(BackendError) -> ToolProof {
    let proof = ToolProof(typed: Array(Hex.text(try Secrets.random(count: ProofPolicy.bytes)).utf8))
    var user: Int64?
    do throws(BackendError) {
      try writing(token, Operations.prove.needs) { (db, own) throws(BackendError) in
        user = own.account
        try unknownPayees?.require(own.account)
        let account = try db.existing(tool)
        try db.lock(.account(own.account))
        let now = try db.now()
        try db.run(ProofQuery.evict, own.account, now.boot, now.uptime, ProofPolicy.outstanding - 1)
        try db.run(
          ProofQuery.insert, proof.digest, own.account, account.id, own.id, now.boot, now.uptime + ProofPolicy.time)
      }
    } catch {
      if let user, error.code == BackendError.Code.accountNotFound.rawValue { unknownPayees?.count(user) }
      throw error
    }
    return proof
  }

  /// Verifies a proof for the session's account, and uses it up.
  ///
  /// The statement that finds the proof deletes it, so of many at once one finds it. Whatever is
  /// wrong with it, there is one answer.
  package func verify(_ proof: ToolProof, token: SessionToken) throws(BackendError) -> ProvenUser {
    try writing(token, Operations.verify.needs) { (db, own) throws(BackendError) in
      let found: ProofRow? = try db.first(ProofQuery.take, proof.digest, own.account)
      guard let found, let session = try db.provenSession(found) else { throw .refused(.proofNotAccepted) }
      try db.record(.proofVerified, account: session.account, actor: own.account, session: session.id)
      return ProvenUser(user: session.user, groups: try db.groups(of: session.account))
    }
  }
}

extension Transaction {
  /// The session that created a proof, if both are still valid and its user may act.
  fileprivate func provenSession(_ proof: ProofRow) throws(BackendError) -> SessionRow? {
    let now = try now()
    guard proof.isValid(at: now), let session: SessionRow = try first(SessionSelection.byID, proof.session),
      let session = try withinLimits(session), session.end(at: now) == nil, try !lacksTwoStep(session)
    else { return nil }
    return session
  }
}

extension ToolProof {
  /// What is stored in place of the proof.
  fileprivate var digest: [UInt8] { SHA256.hash(canonical) }
}

/// The stored row of a proof.
private struct ProofRow: RowDecodable, Sendable {
  let session: SessionID
  private let end: BootInstant

  /// Reads the columns of ``ProofQuery/take``.
  init(_ row: Row) throws(BackendError) { (session, end) = (try row[0], try row[1]) }

  /// Whether it can be verified; one of a clock that was ahead cannot.
  func isValid(at now: BootInstant) -> Bool {
    end.boot == now.boot && now.uptime < end.uptime
      && end.uptime - now.uptime <= ProofPolicy.time + SessionPolicy.clockTolerance
  }
}

package enum ProofQuery: String, Query {
  case insert = "INSERT INTO proofs(proof_hash, account, tool, session, boot, until) VALUES ($1, $2, $3, $4, $5, $6)"
  case take = "DELETE FROM proofs WHERE proof_hash = $1 AND tool = $2 RETURNING session, boot, until"
  /// Deletes ended proofs, and all but the newest of the others.
  case evict = """
    DELETE FROM proofs WHERE account = $1 AND (boot <> $2 OR until <= $3 OR proof_hash IN
      (SELECT proof_hash FROM proofs WHERE account = $1 ORDER BY until DESC LIMIT 64 OFFSET $4))
    """
}
