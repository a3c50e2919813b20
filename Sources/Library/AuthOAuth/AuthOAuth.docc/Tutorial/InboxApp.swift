import AuthCore
import Glibc

@main struct InboxApp {
  static func main() async {
    guard CommandLine.arguments.count == 3 else { return print("Usage: inbox ISSUER DIRECTORY") }
    do { try await run(issuer: CommandLine.arguments[1], directory: CommandLine.arguments[2]) } catch {
      // Such as without a network: the session in the directory did not change.
      print(error, (error as? any ExplainedError)?.hint ?? "")
      exit(1)
    }
  }

  private static func run(issuer: String, directory: String) async throws {
    let inbox = try await Inbox(issuer: issuer, directory: directory)
    print(await inbox.greeting())
    if inbox.store.session == nil { _ = try await inbox.logIn() }
    guard let screen = inbox.open() else { return }
    let count = try await screen.messages { _ in (status: 200, count: 2) }
    print(screen.title, count)
    guard let session = inbox.store.session else { return }
    print(try await inbox.logOut(session), screen.title)
  }
}
