extension Result {
  /// Runs an asynchronous operation; the result is its value or its error.
  package init(_ operation: () async throws(Failure) -> Success) async {
    do throws(Failure) { self = .success(try await operation()) } catch { self = .failure(error) }
  }
}
