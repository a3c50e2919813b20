import AuthBackend
import AuthCore
import AuthDevice
import AuthMessages
import AuthSQLite
import CommandLineKit
import TextFormat

/// `contexts`.
struct ContextsCommand: CommandBody {
  let isShort: Bool
  let showsUsers: Bool

  static var command: Command<any CommandBody> {
    Command("contexts") {
      .init(
        summary: "List the contexts of this device",
        discussion: [
          "A context is a login beside others on this device; choose one with --context. This shows who is logged in in "
            + "each. It is not activity, and changes nothing."
        ],
        options: [Options.short, Options.users],
        examples: [
          .init("contexts", "shows each context and its user"),
          .init("contexts --json", "prints the same as JSON"),
        ],
        statuses: .of(.done, .usage, .cannotTell)
      ) { words throws(UsageError) in
        ContextsCommand(isShort: try words[Options.short], showsUsers: try words[Options.users])
      }
    }
  }

  func run(in workspace: Workspace) throws(CommandError) -> Answer {
    try workspace.contexts(isShort: isShort, showsUsers: showsUsers)
  }
}

extension Options {
  fileprivate static let users = Option.flag("users", "Print the names of their users alone, one on a line")
}

extension Workspace {
  /// What a context has.
  private enum Content {
    case user(Grant)
    /// A session that is over.
    case ended
    /// A session at another database, which this one is not told about.
    case elsewhere
    case unusable(VaultEvidence)
  }

  private static let otherDatabase = BackendError.FailureCode.sessionOfOtherDatabase.rawValue

  /// `contexts`: the session files of this device, and whose they are.
  func contexts(isShort: Bool, showsUsers: Bool) throws(CommandError) -> Answer {
    if isShort, !printer.asJSON {
      return Answer(.onlyShows, lines: try contextNames().map(\.description))
    }
    var found: [(name: ContextName, content: Content)] = []
    for name in try contextNames() {
      switch FileVault(directory: places.state, context: name, issuer: backend.issuer).look() {
      case .absent: break
      case .token(let token, _):
        do throws(BackendError) {
          found.append((name, try backend.lookUp(token).map(Content.user) ?? .ended))
        } catch {
          guard error.code == Self.otherDatabase else { throw CommandError(error) }
          found.append((name, .elsewhere))
        }
      case .corrupt(let evidence): found.append((name, .unusable(evidence)))
      case .unavailable(let failure):
        // A session of the other kind of database is no fault of the file.
        let other: TokenIssuer =
          switch backend.issuer {
          case .embedded: .server
          case .server: .embedded
          }
        let elsewhere = FileVault(directory: places.state, context: name, issuer: other).look()
        guard case .token = elsewhere else { throw CommandError(failure) }
        found.append((name, .elsewhere))
      }
    }
    if showsUsers, !printer.asJSON {
      let names = found.compactMap { if case .user(let grant) = $0.content { grant.user.username } else { nil } }
      return Answer(.onlyShows, lines: Set(names).sorted().map(TextEscaping.escape))
    }
    let deadlines = try Deadlines(clock: backend.clock)
    var table = Table([
      .init(title: "CONTEXT"), .init(title: "USER"), .init(title: "ENDS IN", alignment: .right), .init(title: ""),
    ])
    var isKnown = true
    for (name, content) in found {
      let mark = name == context ? "this one" : ""
      switch content {
      case .user(let grant):
        table.add([name.description, grant.user.username, deadlines.remaining(grant.limits), mark])
      case .ended: table.add([name.description, "", "over", mark])
      case .elsewhere: table.add([name.description, "", "", "at another database"])
      case .unusable:
        isKnown = false
        table.add([name.description, "?", "", "unusable file"])
      }
    }
    return Answer(
      .onlyShows, status: isKnown ? .done : .cannotTell, lines: found.isEmpty ? ["No contexts."] : lines(table),
      [
        "contexts": .array(
          found.map { name, content in
            var user = JSON.null
            var session = JSON.null
            var isLoggedIn = JSON.bool(false)
            switch content {
            case .user(let grant):
              user = .user(grant.user)
              session = .session(grant.id, grant.limits, deadlines)
              isLoggedIn = true
            case .ended: break
            case .elsewhere, .unusable: isLoggedIn = .null
            }
            return .members([
              "context": .string(name.description), "current": .bool(name == self.context),
              "logged_in": isLoggedIn, "user": user, "session": session,
            ])
          })
      ],
      notes: found.compactMap { name, content in
        guard case .unusable(let evidence) = content else { return nil }
        return Hint(evidence.description)
      })
  }

  /// The contexts that have a session file, in the order of their names.
  func contextNames() throws(CommandError) -> [ContextName] {
    do throws(VaultError) {
      return try FileVault.contexts(in: places.state)
    } catch {
      throw CommandError(error)
    }
  }
}
