import AuthCore

@main struct InboxApp {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else { return print("Usage: inbox ISSUER DIRECTORY") }
    let inbox = try await Inbox(issuer: CommandLine.arguments[1], directory: CommandLine.arguments[2])
    print(await inbox.greeting())
    if inbox.store.session == nil { _ = try await inbox.logIn() }
    guard let screen = inbox.open() else { return }
    let count = try await screen.messages { _ in (status: 200, count: 2) }
    print(screen.title, count)
    print(try await inbox.logOut(), screen.title)
  }
}
