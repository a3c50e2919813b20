import AuthBackend
import AuthCore
import AuthMessages
import CommandLineKit

/// An error of a library that ends a command; `CommandError+Causes.swift` has the words for it.
protocol ExplainedError: Error {
  var asCommandError: CommandError { get }
}

extension BackendError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension SessionError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension FreshnessError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension RoleError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension VaultError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension ClockError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension PromptError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension UsageError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension OutputError: ExplainedError { var asCommandError: CommandError { CommandError(self) } }

extension LeaseError<BackendError>: ExplainedError {
  var asCommandError: CommandError {
    switch self {
    case .ended(let reason): .ended(reason)
    case .body(let failure): CommandError(failure)
    }
  }
}

/// Runs `body`, whose error becomes the error of the command.
@discardableResult
func explained<Value, Failure: ExplainedError>(
  _ body: () throws(Failure) -> Value
) throws(CommandError) -> Value {
  do throws(Failure) { return try body() } catch { throw error.asCommandError }
}

/// Runs `body`, whose error becomes the error of the command.
@discardableResult
func explainedAsync<Value, Failure: ExplainedError>(
  _ body: () async throws(Failure) -> Value
) async throws(CommandError) -> Value {
  do throws(Failure) { return try await body() } catch { throw error.asCommandError }
}

/// What comes of `body`, to be looked at later.
func outcome<Value, Failure: Error>(
  of body: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
  do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
}
