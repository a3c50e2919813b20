import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CProcess
import CommandLineKit
import Glibc
import TextFormat

/// `mcp URL`.
enum MCPCommand {
  static let command = Command<CommandBody>(
    "mcp", summary: "Connect an MCP client to a server that needs a login",
    discussion: [
      "An MCP client starts this as a server on standard input and output. Each message goes to the server at the "
        + "address, with the access token of its login, and all answers come back. It knows Streamable HTTP of the "
        + "revisions 2025-06-18, 2025-11-25 and 2026-07-28.",
      "Log in first, with 'login --resource' and the same address: this never prompts. All clients share one login, "
        + "which one of them renews. Without a login, or if the server "
        + "requires more access, the client gets an error that names the command to run.",
      "Any program of the same user can use it, as it can use 'token'. It ends with its standard input.",
    ],
    arguments: [address], options: [SavedAccess.minimum],
    examples: [
      "mcp https://mcp.example.com/mcp": "claude mcp add example -- auth-cli mcp https://mcp.example.com/mcp"
    ],
    statuses: .of(.done, .usage, .cannotTell)
  ) { _ in
    CommandBody { (words, output, _) async throws(CommandError) in
      let address = words[address]
      if let other = words[Options.resource], other != address {
        throw CommandError(code: .otherResource, other.text, address.text)
      }
      let location = try ContextLocation(words, resource: address)
      let loan = TokenLoan { (refused) async throws(CommandError) in
        try await atProvider { () async throws(CommandError) in
          let named = refused.map { RefusedToken.token(Secret($0.value)) }
          do throws(CommandError) {
            let access = try await SavedAccess(
              words, in: location, CommandOutput(words), insteadOf: named, isLasting: true)
            return (access.token, try ProviderSettings(of: location)?.curl.applied ?? [:])
          } catch {
            throw error.saying(whereLookedFor: location)
          }
        }
      }
      guard let loan else { throw CommandError(CurlFailure.noResources, at: address.written) }
      let report: (String) -> Void = { line in
        output.streams.errors.writeLine("auth-cli: \(line)")
        try? output.streams.errors.flush(survivingClosedPipe: true)
      }
      if isatty(STDIN_FILENO) != 0, !output.isQuiet {
        report("waiting for the messages of an MCP client, which starts this command itself; end it with ^D")
        if case .token = location.vault(for: .anyProvider).read() {
        } else {
          let nobody = CommandError(code: .notAtResource, address.text)
          report("\(nobody.message). \(nobody.hint.text(with: choice(of: location, address)))")
        }
      }
      let bridge = Bridge(
        to: address.written, loan, options: { choice(of: location, address) },
        hasOtherToken: { token in
          location.vault(for: .anyProvider).savedToken.map { $0.value != token.value } ?? false
        }, report: report)
      if let signal = bridge.run() { cprocess_end_by(signal) }
      return CommandResult(.onlyShows)
    }
  }

  /// The options of commands in hints.
  ///
  /// Some clients, such as Claude Code, hide the arguments of their servers in what they show. So
  /// the command names the context, if there is one, and not the address.
  private static func choice(of location: ContextLocation, _ address: ResourceAddress) -> [String] {
    let isKnown = (try? ContextLogin(of: location)) != nil
    let context = isKnown || location.mayBeOfOtherResource ? ["--context", location.context.description] : []
    return context + (isKnown ? [] : ["--resource", address.text])
  }

  private static let address = Argument.required(
    "URL", Kinds.resource, "The address of the server, for which you logged in with --resource")
}

extension CommandError {
  /// Without a login, where it was looked for: an MCP client passes on few variables, so this may
  /// be another directory than that of the user's shell.
  fileprivate func saying(whereLookedFor location: ContextLocation) -> CommandError {
    guard code == ErrorCode.notAtResource.code else { return self }
    return CommandError(status, code, "\(message) in \(location.directories.state.escaped)", hint: hint)
  }
}
