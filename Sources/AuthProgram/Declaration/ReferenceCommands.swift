import CommandLineKit

/// The commands that describe the program itself.
///
/// They need no account, read no file and use no context.
enum ReferenceCommands {
  static var all: [Command<Request>] { [machine, help, manual, completions] }

  static var machine: Command<Request> {
    Command("machine") {
      .init(
        summary: "Print the session machine",
        discussion: ["Every state, every event, and the answer to each pair, as the program itself gives it."],
        options: [Options.format],
        examples: [
          .init("machine", "prints the table"),
          .init("machine --format mermaid", "prints a diagram for Mermaid"),
          .init("machine --format json", "prints every cell for a program; so does --json"),
        ],
        statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in
        .machine(format: try words[Options.json] ? .json : try words[Options.format])
      }
    }
  }

  static var help: Command<Request> {
    Command("help") {
      .init(
        summary: "Show help",
        arguments: [Arguments.topic],
        examples: [
          .init("help", "shows the overview"),
          .init("help pay", "shows how to pay; so does 'pay --help'"),
          .init("help sessions revoke", "shows help for a subcommand"),
          .init("help statuses", "lists the exit statuses"),
          .init("help codes", "lists the codes of refusals in JSON"),
        ],
        statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in
        .help(topic: try words[Arguments.topic])
      }
    }
  }

  static var manual: Command<Request> {
    Command("man") {
      .init(
        summary: "Print the manual page",
        discussion: ["One page with all commands, in mdoc, for 'man' to show or for installing as auth-cli.1."],
        examples: [.init("man | man -l -", "shows the page")],
        statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
      ) { _ throws(UsageError) in .manual }
    }
  }

  static var completions: Command<Request> {
    Command("completions") {
      .init(
        summary: "Print completions for a shell",
        arguments: [Arguments.shell],
        examples: [
          .init("completions bash > auth-cli.bash", "writes a file for bash to source"),
          .init("completions zsh > _auth-cli", "writes a file for a directory in zsh's fpath"),
          .init("completions fish | source", "turns them on in this fish"),
        ],
        statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
      ) { words throws(UsageError) in
        .completions(shell: try words[Arguments.shell])
      }
    }
  }
}
