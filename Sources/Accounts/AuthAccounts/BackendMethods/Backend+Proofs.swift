public import AuthCore

/// Proofs for tools of who a user is.
extension Backend {
  /// Creates a proof of who the leased session's user is, for one tool.
  ///
  /// It is valid for 60 s, and once. A user has at most 16 of them; a newer one ends the oldest.
  ///
  /// - Parameters:
  ///   - tool: The account that the tool's server is logged in as.
  ///   - lease: The session that proves itself, and which must still be active at the verification.
  /// - Returns: The proof, to hand to the tool.
  /// - Throws: ``BackendError`` of kind `refused` (`account_not_found`).
  public func prove(to tool: Username, under lease: borrowing SessionLease) throws(BackendError) -> ToolProof {
    try ask(Operations.prove, lease.token()) { (tool, $0) }
  }

  /// Verifies a proof that was created for the leased session's account, and uses it up.
  ///
  /// An event of the proven user's account records it.
  ///
  /// - Parameters:
  ///   - proof: What the caller of the tool presented.
  ///   - lease: The session of the tool.
  /// - Returns: The user, and the user's groups.
  /// - Throws: ``BackendError`` of kind `refused` (`proof_not_accepted`) for one that is unknown,
  ///   used, expired or for another account, and for one whose session has ended meanwhile.
  public func verify(_ proof: ToolProof, under lease: borrowing SessionLease) throws(BackendError) -> ProvenUser {
    try ask(Operations.verify, lease.token()) { (proof, $0) }
  }
}
