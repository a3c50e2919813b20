import CommandLineKit

/// The commands that begin, show and end a session.
enum SessionCommands {
  static var all: [Command<Request>] { [register, logIn, logOut, status, reauthenticate, watch] }

  static var register: Command<Request> {
    Command("register") {
      .init(
        summary: "Create an account",
        discussion: [
          "The first account becomes administrator. A new account opens with 100.00. Registering does not log in.",
          "The password has at least 15 characters, is asked for twice on the terminal and never shown. It has no rules of "
            + "composition, but must not be a widely known one or the user's own name.",
        ],
        arguments: [Arguments.newUser], options: [Options.passwordFromInput],
        examples: [
          .init("register alice", "asks for a new password, twice"),
          .init("register bob --password-stdin < bob.password", "reads the password from a file, for scripts"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in
        .register(
          user: try words[Arguments.newUser, neededBy: Options.passwordFromInput],
          passwordFromInput: try words[Options.passwordFromInput])
      }
    }
  }

  static var logIn: Command<Request> {
    Command("login") {
      .init(
        summary: "Log in, or renew the session",
        discussion: [
          "Logging in again as the same user renews the session. As somebody else it is refused, unless --switch is given.",
          "A session ends after 30 minutes without activity and after 8 hours in any case; --idle and --absolute make that "
            + "shorter, never longer, until the next login. A restart of the machine ends it too.",
          "After 5 wrong passwords in a row the name must wait, for 30 seconds at first.",
        ],
        arguments: [Arguments.user],
        options: [Options.switching, Options.idle, Options.absolute, Options.passwordFromInput],
        examples: [
          .init("login alice", "asks for the password on the terminal"),
          .init("login alice --idle 5m --absolute 1h", "asks for a shorter session"),
          .init("login bob --switch", "ends the session that is open here and logs bob in"),
          .init("login alice --password-stdin < alice.password", "reads the password from a file, for scripts"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .credentials, .throttled)
      ) { words throws(UsageError) in
        .logIn(
          user: try words[Arguments.user, neededBy: Options.passwordFromInput],
          switching: try words[Options.switching], idle: try words[Options.idle], absolute: try words[Options.absolute],
          passwordFromInput: try words[Options.passwordFromInput])
      }
    }
  }

  static var logOut: Command<Request> {
    Command("logout") {
      .init(
        summary: "Log out",
        discussion: [
          "The session ends here at once and is revoked, so that a copy of it works nowhere. When nobody was logged in, that "
            + "is said, and it is not an error."
        ],
        options: [Options.everywhere],
        examples: [
          .init("logout", "ends this session"),
          .init("logout --all", "ends all sessions of the user, in every context"),
        ],
        statuses: .of(.done, .usage, .cannotTell)
      ) { words throws(UsageError) in
        .logOut(everywhere: try words[Options.everywhere])
      }
    }
  }

  static var status: Command<Request> {
    Command("status", aliases: ["whoami"]) {
      .init(
        summary: "Say who is logged in",
        discussion: [
          "Three answers: yes (0), no (1), and cannot tell (3), when something could not be read. Asking is not activity: it "
            + "does not prolong the session."
        ],
        examples: [
          .init("status", "shows the user and until when the session lasts"),
          .init("status --quiet && echo in", "asks in a script, by the status alone"),
          .init("status --json", "shows the same to a program"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell)
      ) { _ throws(UsageError) in .status }
    }
  }

  static var reauthenticate: Command<Request> {
    Command("reauth") {
      .init(
        summary: "Enter the password again",
        discussion: [
          "Paying, changing a password and administration need a password entered within the last 15 minutes. They ask on a "
            + "terminal; a script calls this first. A wrong password leaves the session as it was."
        ],
        options: [Options.passwordFromInput],
        examples: [
          .init("reauth", "asks for the password on the terminal"),
          .init("reauth --password-stdin < alice.password", "reads the password from a file, for scripts"),
        ],
        statuses: .of(.done, .no, .usage, .cannotTell, .logInFirst, .credentials, .throttled)
      ) { words throws(UsageError) in
        .reauthenticate(passwordFromInput: try words[Options.passwordFromInput])
      }
    }
  }

  static var watch: Command<Request> {
    Command("watch") {
      .init(
        summary: "Follow the session as it changes",
        discussion: [
          "Prints a line for each change of the session and its user, whichever process makes it, until interrupted. Watching "
            + "is not activity."
        ],
        options: [Options.until],
        examples: [
          .init("watch", "follows until ^C"),
          .init("watch --until logged-out", "waits for the end of the session"),
          .init("watch --json", "follows with a JSON document on each line"),
        ],
        statuses: .of(.done, .usage, .cannotTell)
      ) { words throws(UsageError) in
        .watch(until: try words[Options.until])
      }
    }
  }
}
