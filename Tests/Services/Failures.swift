package import AuthBackend
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
