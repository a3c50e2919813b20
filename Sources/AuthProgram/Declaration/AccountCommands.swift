import CommandLineKit

/// The administrator's screens.
enum AccountCommands {
  static var all: [Command<Request>] { [accounts] }

  static var accounts: Command<Request> {
    Command("accounts") {
      .init(
        summary: "See and change accounts, as administrator",
        discussion: ["Changing an account needs a password entered recently, and asks for it on a terminal."],
        examples: [
          .init("accounts list", "shows the first page of accounts"),
          .init("accounts unlock bob", "lets bob try passwords again"),
        ],
        statuses: .of(.usage),
        subcommands: [list, show, disable, enable, unlock], request: nil)
    }
  }

  private static var list: Command<Request> {
    Command("list") {
      .init(
        summary: "List accounts",
        discussion: ["By name, a page at a time; the last line names the command for the next page."],
        options: [Options.limit, Options.after],
        examples: [
          .init("accounts list", "shows the first page"),
          .init("accounts list --after bob --limit 100", "shows those that come after bob"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        .listAccounts(limit: try words[Options.limit], after: try words[Options.after])
      }
    }
  }

  private static var show: Command<Request> {
    Command("show") {
      .init(
        summary: "Show one account",
        arguments: [Arguments.account],
        examples: [.init("accounts show bob", "shows role, state and failed attempts of bob")],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        .showAccount(user: try words[Arguments.account])
      }
    }
  }

  private static var disable: Command<Request> {
    change("disable", "Disable an account and end its sessions", "ends bob's sessions and refuses new ones") {
      .disableAccount(user: $0)
    }
  }

  private static var enable: Command<Request> {
    change("enable", "Enable a disabled account", "lets bob log in again") { .enableAccount(user: $0) }
  }

  private static var unlock: Command<Request> {
    change("unlock", "Clear the wait after wrong passwords", "lets bob try passwords again") {
      .unlockAccount(user: $0)
    }
  }

  private static func change(
    _ name: String, _ summary: String, _ shows: String, request: @escaping @Sendable (String) -> Request
  ) -> Command<Request> {
    Command(name) {
      .init(
        summary: summary,
        discussion: ["Needs a password entered recently, and asks for it on a terminal."],
        arguments: [Arguments.account],
        examples: [.init("accounts \(name) bob", shows)],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        request(try words[Arguments.account])
      }
    }
  }
}
