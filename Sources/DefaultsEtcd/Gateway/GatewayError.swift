import Defaults

/// Why a request to a member of the cluster has no result.
struct GatewayError: Error, CustomStringConvertible {
  /// What is known of the request.
  enum Fate {
    /// The member never got it.
    case unsent
    /// It may have been carried out, or be carried out later: no answer came, or one that leaves
    /// that open.
    case open
    /// It wasn't carried out, and won't be.
    case refused
  }

  let fate: Fate
  /// What is wrong, in a clause.
  let description: String
  /// The status of gRPC, if the member gave one.
  var status: Int?

  init(_ fate: Fate, _ description: String, status: Int? = nil) {
    self.fate = fate
    self.description = description
    self.status = status
  }

  /// An answer other than a result. What a status says of a request is in gRPC's document
  /// "Status codes and their use"; etcd's own meaning is in its `rpctypes/error.go`.
  init(_ complaint: GatewayComplaint, httpStatus: Int?) {
    let status = complaint.status ?? (httpStatus == 401 ? 16 : nil)
    let fate: Fate =
      switch status {
      case 3, 5, 7, 8, 9, 11, 12, 16: .refused
      default: .open
      }
    self.init(fate, complaint.words, status: status)
  }

  /// The token isn't one, or isn't one anymore; a new one may help.
  var isAboutToken: Bool {
    // A token that says who it is for also says which rules of the cluster it was given under, and
    // ends when these change.
    status == 16
      || [
        "invalid auth token", "user name is empty", "revision in header is old",
        "revision of auth store is old",
      ].contains(where: description.contains)
  }

  /// The cluster has no authentication, so that there are no tokens.
  var isAboutMissingAuthentication: Bool {
    fate == .refused && description.contains("authentication is not enabled")
  }

  /// The cluster has answered, and doesn't let this program in.
  var isDenial: Bool { fate == .refused && (status == 7 || isAboutToken) }

  var isAboutLease: Bool { status == 5 && description.contains("lease") }

  /// As a caller of the suite gets it, who knows that nothing was changed.
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
    return SuiteError(code, "The cluster refuses: \(self)", suite: place)
  }
}
