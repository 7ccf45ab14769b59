import Defaults
import Synchronization

/// Reports a chosen profile that doesn't exist as an issue of a suite.
final class ChosenProfile: Sendable {
  private struct Observations {
    /// The observation of the choice.
    var ofChoice: (any Defaults.Observation)?
    /// The observation of the entry that the chosen profile has as long as it exists.
    var ofProfile: (any Defaults.Observation)?
    /// The reported problem, as long as it lasts.
    var problem: Defaults.SuiteError?
  }

  private let choice: ProfileChoice
  private let support: Defaults.SuiteSupport
  private let observations = Mutex(Observations())

  /// Starts to observe; nil without a layer for profiles.
  init?(
    _ parts: [Defaults.Layer.Part], _ base: Defaults.StoredSuite, _ support: Defaults.SuiteSupport
  ) {
    let choices = parts.compactMap { part -> ProfileChoice? in
      if case .profile(let choice) = part.content { choice } else { nil }
    }
    guard let choice = choices.first else { return nil }
    self.choice = choice
    self.support = support
    let token = base.observe([Defaults.profileName], options: .silent) { [weak self, weak base] _ in
      if let base { self?.follow(base) }
    }
    observations.withLock { $0.ofChoice = token }
    follow(base)
  }

  deinit {
    let observations = observations.withLock { $0 }
    for token in [observations.ofChoice, observations.ofProfile] { token?.invalidate() }
  }

  /// Observes the profile that is chosen now.
  private func follow(_ base: Defaults.StoredSuite) {
    var token: (any Defaults.Observation)?
    if let name = choice.name(in: { base.entry(named: $0) }) {
      let marker = Defaults.Profiles.marker(of: name)
      token = base.observe([marker], options: .silent) { [weak self, weak base] _ in
        if let base { self?.report(base) }
      }
    }
    let old = observations.withLock { [token] observations in
      defer { observations.ofProfile = token }
      return observations.ofProfile
    }
    old?.invalidate()
    report(base)
  }

  private func report(_ base: Defaults.StoredSuite) {
    let problem = choice.problem(in: { base.entry(named: $0) })
    let old = observations.withLock { observations in
      defer { observations.problem = problem }
      return observations.problem
    }
    support.reportLater([problem].compactMap(\.self), insteadOf: [old].compactMap(\.self))
    support.deliverExternal()
  }
}
