import AuthBackend
import AuthCore

@testable import AuthProgram

// Only tests compare what the full-screen program does, so this is not part of the program.

extension AppEffect: Equatable {
  static func == (one: AppEffect, other: AppEffect) -> Bool {
    switch (one, other) {
    case (.look, .look), (.renew, .renew), (.quit, .quit): true
    case (.load(let one, let isActivity, let query), .load(let other, let isOtherActivity, let otherQuery)):
      one == other && isActivity == isOtherActivity && query == otherQuery
    case (.copy(let one), .copy(let other)): one == other
    case (.perform(let one), .perform(let other)): one == other
    case _: false
    }
  }
}

extension AppAction: Equatable {
  static func == (one: AppAction, other: AppAction) -> Bool {
    switch (one, other) {
    case (.logIn(let one), .logIn(let other)), (.register(let one), .register(let other)): one == other
    case (.logOut, .logOut), (.cancelAnswer, .cancelAnswer): true
    case (.reauthenticate(let one), .reauthenticate(let other)), (.answer(let one), .answer(let other)): one == other
    case (.pay(let amount, let payee, let number), .pay(let otherAmount, let otherPayee, let otherNumber)):
      amount == otherAmount && payee == otherPayee && number == otherNumber
    case (.rename(let one), .rename(let other)): one == other
    case (.changePassword(let present, let new), .changePassword(let otherPresent, let otherNew)):
      present == otherPresent && new == otherNew
    case (.revoke(let one), .revoke(let other)): one == other
    case (.administer(let one), .administer(let other)): one == other
    case _: isLikeOwn(one, other)
    }
  }

  /// What users do with their own account; apart, because the compiler gives up on a longer switch.
  private static func isLikeOwn(_ one: AppAction, _ other: AppAction) -> Bool {
    switch (one, other) {
    case (.recover(let name, let code, let new), .recover(let otherName, let otherCode, let otherNew)):
      name == otherName && code == otherCode && new == otherNew
    case (.makeRecoveryCodes, .makeRecoveryCodes), (.beginTwoStep, .beginTwoStep),
      (.deleteOwnAccount, .deleteOwnAccount):
      true
    case (.confirmTwoStep(let one), .confirmTwoStep(let other)), (.endTwoStep(let one), .endTwoStep(let other)):
      one == other
    case _: false
    }
  }
}

extension Administration: Equatable {
  static func == (one: Administration, other: Administration) -> Bool {
    switch (one, other) {
    case (.change(let one, let name), .change(let other, let otherName)): one == other && name == otherName
    case (.resetPassword(let one), .resetPassword(let other)), (.delete(let one), .delete(let other)),
      (.create(let one), .create(let other)):
      one == other
    case (.registration(let one), .registration(let other)): one == other
    case (.twoStep(let one), .twoStep(let other)): one == other
    case _: false
    }
  }
}

extension AppForm.Purpose: Equatable {
  static func == (one: AppForm.Purpose, other: AppForm.Purpose) -> Bool {
    switch (one, other) {
    case (.logIn(let tab, let name), .logIn(let otherTab, let otherName)): tab == otherTab && name == otherName
    case (.register, .register), (.changePassword, .changePassword), (.createAccount, .createAccount): true
    case (.reauthenticate(let one), .reauthenticate(let other)), (.secondStep(let one), .secondStep(let other)):
      one == other
    case (.pay(let number, let payee), .pay(let otherNumber, let otherPayee)):
      number == otherNumber && payee == otherPayee
    case (.rename(let one), .rename(let other)), (.deleteAccount(let one), .deleteAccount(let other)),
      (.recover(let one), .recover(let other)), (.deleteOwnAccount(let one), .deleteOwnAccount(let other)):
      one == other
    case (.confirmTwoStep(let one), .confirmTwoStep(let other)): one.text == other.text
    case (.endTwoStep, .endTwoStep): true
    case _: false
    }
  }
}

extension AppChoice: Equatable {
  static func == (one: AppChoice, other: AppChoice) -> Bool {
    switch (one, other) {
    case (.open(let one), .open(let other)): one == other
    case (.fill(let one), .fill(let other)): one == other
    case (.ask(let one), .ask(let other)): one == other
    case (.perform(let one), .perform(let other)): one == other
    case (.pay(let one, let amount), .pay(let other, let otherAmount)): one == other && amount == otherAmount
    case (.copy(let one), .copy(let other)): one == other
    case (.quit, .quit): true
    case _: false
    }
  }
}

extension AppQuestion: Equatable {
  static func == (one: AppQuestion, other: AppQuestion) -> Bool {
    one.text == other.text && one.label == other.label && one.action == other.action
  }
}
