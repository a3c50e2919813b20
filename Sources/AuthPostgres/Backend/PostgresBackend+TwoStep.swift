package import AuthBackend
package import AuthCore

/// The second step of a login, which the server's schema does not have yet.
///
/// The server never asks for a code, so no challenge of it can be answered.
extension PostgresBackend {
  package func answer(_ code: Password, to challenge: Challenge) throws(BackendError) -> Grant {
    throw .stepNotAccepted
  }

  package func twoStep(token: SessionToken) throws(BackendError) -> TwoStepState { throw .twoStepUnsupported }

  package func beginTwoStep(token: SessionToken) throws(BackendError) -> TwoStepSecret { throw .twoStepUnsupported }

  package func confirmTwoStep(_ code: Password, token: SessionToken) throws(BackendError) {
    throw .twoStepUnsupported
  }

  package func endTwoStep(_ code: Password, token: SessionToken) throws(BackendError) { throw .twoStepUnsupported }

  package func twoStepPolicy(token: SessionToken) throws(BackendError) -> TwoStepPolicy { throw .twoStepUnsupported }

  package func setTwoStepPolicy(_ policy: TwoStepPolicy, token: SessionToken) throws(BackendError) {
    throw .twoStepUnsupported
  }
}
