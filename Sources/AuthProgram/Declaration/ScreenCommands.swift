import CommandLineKit

/// The screens of the user who is logged in.
///
/// All but `home` are guarded.
enum ScreenCommands {
  static var all: [Command<Request>] { [home, pay, receipts, profile, sessions, password, events] }

  static var home: Command<Request> {
    Command("home") {
      .init(
        summary: "Show the home screen",
        discussion: ["The one screen that anybody may see."],
        examples: [.init("home", "greets whoever is logged in, or nobody")],
        statuses: .of(.done, .usage, .cannotTell)
      ) { _ throws(UsageError) in .home }
    }
  }

  static var pay: Command<Request> {
    Command("pay") {
      .init(
        summary: "Pay another user",
        discussion: [
          "Needs a password entered recently, and asks for it on a terminal. A payment is made once and wholly, or not at all.",
          "With --idempotency-key an identical retry pays nothing and shows the first receipt; the same key with another "
            + "amount or payee is refused. When the payment was made and the receipt could not be printed, the status is 3 and "
            + "the message says 'paid' with the number of the receipt.",
        ],
        arguments: [Arguments.amount], options: [Options.payee, Options.idempotencyKey],
        examples: [
          .init("pay 12.50 --to bob", "pays bob and shows the receipt"),
          .init("pay 3 --to bob --idempotency-key rent-2026-01", "pays once, however often it is repeated"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        .pay(
          amount: try words[Arguments.amount], payee: try words[Options.payee],
          idempotencyKey: try words[Options.idempotencyKey])
      }
    }
  }

  static var receipts: Command<Request> {
    Command("receipts") {
      .init(
        summary: "List payments made and received",
        discussion: ["The latest first, a page at a time; the last line names the command for the next page."],
        options: [Options.limit, Options.before],
        examples: [
          .init("receipts", "shows the latest"),
          .init("receipts --limit 100 --json", "shows more of them to a program"),
          .init("receipts --before 42", "shows the page before receipt 42"),
        ],
        statuses: .of(.done, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        .receipts(limit: try words[Options.limit], before: try words[Options.before])
      }
    }
  }

  static var profile: Command<Request> {
    Command("profile") {
      .init(
        summary: "Show or change the own profile",
        options: [Options.newName],
        examples: [
          .init("profile", "shows the profile"),
          .init("profile --name 'Alice B.'", "changes the name; screens open elsewhere follow"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        .profile(newName: try words[Options.newName])
      }
    }
  }

  static var sessions: Command<Request> {
    Command("sessions") {
      .init(
        summary: "List or revoke the own sessions",
        examples: [.init("sessions", "shows every session of the user, this one marked")],
        statuses: .of(.done, .usage, .cannotTell, .logInFirst),
        subcommands: [
          Command("revoke") {
            .init(
              summary: "End one session",
              discussion: ["Needs a password entered recently, and asks for it on a terminal."],
              arguments: [Arguments.session],
              examples: [.init("sessions revoke k1a8rcny9q17", "ends that session, wherever it is used")],
              statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
            ) { words throws(UsageError) in
              .revokeSession(id: try words[Arguments.session])
            }
          }
        ]
      ) { _ throws(UsageError) in .sessions }
    }
  }

  static var password: Command<Request> {
    Command("password") {
      .init(
        summary: "Change the password",
        discussion: [
          "Asks for the present password and twice for the new one. All other sessions of the user end.",
          "With --password-stdin the present password is the first line of standard input and the new one the second.",
          "When something fails after the change, the message begins with the change.",
        ],
        options: [Options.passwordsFromInput],
        examples: [
          .init("password", "asks on the terminal"),
          .init("password --password-stdin < both.passwords", "reads the present and the new password, a line each"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        .changePassword(passwordsFromInput: try words[Options.passwordsFromInput])
      }
    }
  }

  static var events: Command<Request> {
    Command("events") {
      .init(
        summary: "Show what happened to the account",
        discussion: [
          "One's own events; an administrator sees those of all accounts. The latest come last.",
          "The latest page is shown first; below it stands the command for the one before.",
        ],
        options: [Options.since, Options.limit, Options.beforeEvent],
        examples: [
          .init("events", "shows the latest"),
          .init("events --since 8h", "shows those of the last eight hours"),
          .init("events --since 2026-01-31T09:30:00Z --limit 1000 --json", "shows a program what came after a moment"),
        ],
        statuses: .of(.done, .usage, .cannotTell, .logInFirst)
      ) { words throws(UsageError) in
        .events(
          since: try words[Options.since], limit: try words[Options.limit], before: try words[Options.beforeEvent])
      }
    }
  }
}
