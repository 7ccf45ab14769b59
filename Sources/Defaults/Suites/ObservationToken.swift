/// The token of one observer.
final class ObservationToken: Defaults.Observation {
  private let observer: Observer
  private let support: Defaults.SuiteSupport

  init(_ observer: Observer, in support: Defaults.SuiteSupport) {
    self.observer = observer
    self.support = support
  }

  deinit {
    if observer.dependsOnToken { invalidate() }
  }

  func invalidate() {
    observer.end()
    support.remove(observer)
  }

  @discardableResult
  func tieToLifetime(of owner: AnyObject) -> Self {
    observer.tie(to: owner)
    return self
  }

  func removeLifetimeTie() {
    observer.untie()
  }
}

/// The token of observations in several suites; releasing it releases theirs.
final class ObservationGroup: Defaults.Observation {
  private let members: [any Defaults.Observation]

  init(_ members: [any Defaults.Observation]) {
    self.members = members
  }

  func invalidate() {
    for member in members { member.invalidate() }
  }

  @discardableResult
  func tieToLifetime(of owner: AnyObject) -> Self {
    for member in members { member.tieToLifetime(of: owner) }
    return self
  }

  func removeLifetimeTie() {
    for member in members { member.removeLifetimeTie() }
  }
}
