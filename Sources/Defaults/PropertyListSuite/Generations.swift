extension Defaults {
  /// What the last files of a suite had, as far as they differ from the newest one.
  ///
  /// Somebody may have read a file some time ago (an editor has), and write it now with a change of
  /// his own. What he started from is the generation that his file differs from least.
  package struct Generations: Sendable {
    /// How many files before the newest one are known, at least if there are so many.
    private static let least = 4
    /// How many are known if they differ little, by so many entries in all.
    private static let most = 16
    private static let entries = 1_000

    /// What each file had under the names that the next one has something else for; the newest
    /// last.
    private(set) var differences: [[String: Edit]] = []

    var isEmpty: Bool { differences.isEmpty }

    /// Notes that there is a newer file, and what the one before had where they differ.
    mutating func advance(from entries: [String: Edit]) {
      guard !entries.isEmpty else { return }
      differences.append(entries)
      var size = differences.reduce(0) { $0 + $1.count }
      while differences.count > Self.most || size > Self.entries && differences.count > Self.least {
        size -= differences.removeFirst().count
      }
    }

    /// What the generation has that a foreign file started from, where the newest one has something
    /// else: nothing if that is the newest one, which it is too where several are equally near.
    func origin(
      of foreign: (_ name: String) -> Edit, newest: (_ name: String) -> Edit
    ) -> [String: Edit] {
      // Where all generations agree, the file is equally far from all of them.
      let names = Set(differences.lazy.flatMap(\.keys))
      func distance(_ entries: [String: Edit]) -> Int {
        names.count { (entries[$0] ?? newest($0)) != foreign($0) }
      }
      var nearest: [String: Edit] = [:]
      var least = distance(nearest)
      var entries: [String: Edit] = [:]
      for older in differences.reversed() {
        entries.merge(older) { _, older in older }
        let distance = distance(entries)
        if distance < least { (nearest, least) = (entries, distance) }
      }
      return nearest
    }
  }
}
