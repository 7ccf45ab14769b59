import Defaults

/// The reason why a request to a member has no result.
struct GatewayError: Error, CustomStringConvertible {
  /// The possible results of a request.
  enum Fate {
    /// The member never received the request.
    case unsent
    /// The request may have been carried out, or may be carried out later: there was no answer, or
    /// an inconclusive one.
    case open
    /// The request wasn't carried out, and never will be.
    case refused
  }

  let fate: Fate
  /// The reason, as a clause.
  let description: String
  /// The gRPC status, if the member returned one.
  var status: Int?

  init(_ fate: Fate, _ description: String, status: Int? = nil) {
    self.fate = fate
    self.description = description
    self.status = status
  }

  /// Creates the error of an answer that isn't a result. gRPC's document "Status codes and their
  /// use" defines the meaning of a status for the request; etcd's meaning is in its
  /// `rpctypes/error.go`.
  init(_ complaint: GatewayComplaint, httpStatus: Int?) {
    let status = complaint.status ?? (httpStatus == 401 ? 16 : nil)
    let fate: Fate =
      switch status {
      case 3, 5, 7, 8, 9, 11, 12, 16: .refused
      default: .open
      }
    self.init(fate, complaint.words, status: status)
  }

  /// Whether the token is invalid or has expired, so that a new one may help.
  var isAboutToken: Bool {
    // A token with a user's name also includes the revision of the access rules, and expires when
    // these change.
    status == 16
      || [
        "invalid auth token", "user name is empty", "revision in header is old",
        "revision of auth store is old",
      ].contains(where: description.contains)
  }

  /// Whether the cluster has no authentication, and so no tokens.
  var isAboutMissingAuthentication: Bool {
    fate == .refused && description.contains("authentication is not enabled")
  }

  var isDenial: Bool { fate == .refused && (status == 7 || isAboutToken) }

  var isAboutLease: Bool { status == 5 && description.contains("lease") }

  /// The error for a caller of the suite. Nothing was changed.
  func error(at place: String) -> SuiteError {
    guard fate == .refused else {
      return SuiteError(.unreachable, "The cluster doesn't answer: \(self)", suite: place)
    }
    let code: SuiteError.Code =
      switch status {
      case _ where isDenial: .denied
      case 3, 8:
        ["too large", "too many op", "larger than max"].contains(where: description.contains)
          ? .unrepresentable : .unwritable
      default: .unwritable
      }
    return SuiteError(code, "The cluster rejected the request: \(self)", suite: place)
  }
}
