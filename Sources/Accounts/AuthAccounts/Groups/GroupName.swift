/// The name of a group of accounts, which an administrator chooses.
///
/// It has the form of a user name, and capital letters mean the same. A group exists while it has
/// members; it grants nothing in this database, and tools decide what it means.
public struct GroupName: Hashable, Sendable, CustomStringConvertible {
  /// The form that is stored and compared: lower case.
  public let canonical: String

  /// Checks and folds what was typed.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` (`group_name_invalid`) that says the accepted
  ///   form.
  public init(_ typed: String) throws(BackendError) {
    do throws(BackendError) {
      canonical = try Username(typed).canonical
    } catch {
      throw .invalid(.groupNameInvalid, error.values.first ?? "")
    }
  }

  /// The canonical form of the name.
  public var description: String { canonical }
}

/// A page of a list of groups, or of the members of one.
package struct GroupPage: Hashable, Sendable {
  /// Only what comes after the group or the user of this name; nil begins with the first.
  package var after: String?
  /// The most names to return.
  package var limit: Int

  /// Creates a query for a page.
  package init(after: String? = nil, limit: Int) {
    (self.after, self.limit) = (after, limit)
  }
}

/// How many groups there may be, so that what reads them holds up nobody.
package enum GroupPolicy {
  /// The most groups of one account.
  package static let groupsOfAccount = 32
  /// The most accounts that one request adds or removes.
  package static let accountsAtOnce = 50
}
