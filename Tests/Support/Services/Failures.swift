package import AuthAccounts
package import AuthCore
import Testing

/// The failure that `body` throws; nil when it throws none.
package func failure<Result>(_ body: () throws -> Result) -> BackendError? {
  do {
    _ = try body()
  } catch let failure as BackendError {
    return failure
  } catch {
    Issue.record("\(error) is no BackendError")
  }
  return nil
}

/// The code of the failure that `body` throws; nil when it throws none.
package func code<Result>(_ body: () throws -> Result) -> String? { failure(body)?.code }

/// The challenge that `body` is answered with.
package func challenge<Result>(of body: () throws -> Result) throws -> Challenge {
  let kind = failure(body)?.kind
  guard case .challenged(let challenge) = kind else { throw UnexpectedAnswer(kind: kind) }
  return challenge
}
