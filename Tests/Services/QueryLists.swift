import AuthBackend

/// The statements of each list of the rule book.
package let queryLists: [(name: String, statements: [String])] = [
  list(AccountSelection.self), list(AccountQuery.self), list(UnknownNameQuery.self), list(SessionSelection.self),
  list(SessionQuery.self), list(LedgerQuery.self), list(EventSelection.self), list(EventQuery.self),
  list(CodeQuery.self), list(TwoStepQuery.self), list(ChallengeQuery.self), list(OperatorQuery.self),
]

private func list<Q: Query>(_: Q.Type) -> (name: String, statements: [String]) { ("\(Q.self)", Q.allCases.map(\.sql)) }
