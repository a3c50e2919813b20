package import CommandLineKit

/// The rows of the command line's codes, whose errors bring their messages and hints.
extension UsageError.Code {
  package var row: ErrorRow { .usage(meaning: meaning) }
}

extension PromptError.Code {
  package var row: ErrorRow { self == .unreadableInput ? .cannotTell(meaning: meaning) : .usage(meaning: meaning) }
}
