/// The rules that the model check verifies.
///
/// The article *Invariants* has each under its own heading; a test compares the two.
enum ModelRule: String, CaseIterable {
  case keysComeFromGrants = "Keys come from grants"
  case everyEventIsAnswered = "Every event is answered"
  case everyLogoutEnds = "Every logout ends"
  case oneWorkAtATime = "One piece of work at a time"
  case lateResultsChangeNothing = "Late results change nothing"
  case commandsKeepToTheirSession = "Commands keep to their session"
  case failuresEndNoSession = "Failures end no session"
  case completeMeansOver = "Complete means ended"
  case everyChangeIsTold = "Every change is reported"
  case overStaysOver = "An ended session stays ended"
  case crashesLoseNothing = "Crashes lose nothing"
  case memoryAgreesWithVault = "Memory agrees with the vault"
  case keptBeforeShown = "Saved before exposed"
  case sessionsKeepTheirRecord = "Sessions keep their record"
  case lastKnownUserIsThatOfTheVault = "The last known user is that of the vault"
  case savedTokensAreConfirmed = "Saved tokens are confirmed"
  case nobodyWaitsForever = "Nobody waits forever"
  case cancelledStepsLeaveNothing = "Cancelled steps leave nothing"
  case oneVaultOperationPerAnswer = "One vault operation per answer"
}
