import Defaults
import Foundation

/// The entries of a cluster under a prefix, in memory, as the cluster had them a moment ago.
///
/// What the cluster changes arrives in the ``Feed``, and is committed to the table in the order of
/// the revisions. What this process changes is made in the cluster first; then the table takes in all
/// that the cluster did before, and the change. So the table goes through the states of the cluster,
/// one after the other, and no other.
final class Replica: KeyedPersistence {
  let table: EntryTable
  let gateway: Gateway
  let space: KeySpace
  let settings: Settings
  let feed = Feed()
  let cache: Cache?
  let writer: ClusterWriter
  /// Taken after the writer lock of the table.
  let known: Lock<Known>
  /// The keys that are known, by which the cluster's values are judged.
  private let keys: Lock<[String: Defaults.AnyKey]>
  private let lane = BackgroundLane()
  /// Where handlers run: one that takes its time keeps nothing from being taken in.
  private let handlers = BackgroundLane()
  private let isTakeInDue = Lock(false)
  private let isSaveDue = Lock(false)
  /// Held while the cache is written, so that a thread that finds nothing to save knows that the cache has it.
  private let saving = Lock(())
  /// Called without a lock when the cluster was listed, and the table shows it.
  private let onListing = Lock<[@Sendable () -> Void]>([])

  struct Settings: Sendable {
    var encoding: Defaults.EtcdSuite.ValueEncoding
    var timing: Defaults.EtcdSuite.Timing
    var isQueueing: Bool
  }

  init(
    _ gateway: Gateway, _ space: KeySpace, _ settings: Settings, _ cache: Cache?,
    keys: [Defaults.AnyKey], _ support: Defaults.SuiteSupport
  ) {
    var content = cache?.load() ?? Cache.Content(entries: [:])
    var known = Known()
    if let note = content.note {
      known.revision = note.revision
      known.cluster = note.cluster
      known.dateOfCache = note.date
      if settings.isQueueing { (known.intents, known.sent) = (note.intents, note.sent) }
      for (name, intent) in known.intents {
        known.shadows[name] = Edit(entry: content.entries[name])
        content.entries[name] = intent.edit.entry
      }
    }
    table = EntryTable(content.entries, support)
    self.gateway = gateway
    self.space = space
    self.settings = settings
    self.cache = cache
    self.known = Lock(known)
    self.keys = Lock(Dictionary(keys.map { ($0.name, $0.detached) }) { first, _ in first })
    writer = ClusterWriter(gateway, space, settings.timing, place: support.label)
  }

  /// Judges what the cluster says by the keys that are known.
  var reader: EntryReader {
    EntryReader(space: space, encoding: settings.encoding) { [weak self] name in
      self?.keys.withLock { $0[name] }
    }
  }

  func addKey(_ key: any DeclaredKey) {
    if keys.withLock({ $0[key.name] != nil }) { return }
    guard let key = (key as? Defaults.AnyKey)?.detached else { return }
    keys.withLock { keys in
      if keys[key.name] == nil { keys[key.name] = key }
    }
  }

  var health: Defaults.Health { .intact }

  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    guard !KeySpace.isMark(name), name != Cache.noteName else {
      throw SuiteError(
        .unrepresentable, "The name is one of the library's own; take another one", key: name)
    }
    if settings.encoding == .propertyList {
      do throws(ConversionError) {
        _ = try settings.encoding.bytes(of: value)
      } catch {
        throw SuiteError(
          .unrepresentable, "The entry can't be stored: \(error)", key: name, underlying: error)
      }
    }
  }

  func close() {
    let wasLive = feed.update { state in
      state.isClosed = true
      return state.isLive
    }
    save()
    // The next start can say how old the entries are. It isn't worth an issue if it can't.
    if wasLive { try? cache?.noteCurrent() }
  }

  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    // What the cluster has confirmed is durable there.
    guard let cache else { return }
    try saveToCache()
    try cache.suite.flush(extent)
  }

  /// Calls a closure after the next listing.
  func afterListing(_ body: @escaping @Sendable () -> Void) {
    onListing.withLock { $0.append(body) }
  }
}

// MARK: - Taking in

extension Replica {
  /// Has what has arrived be taken in, by a thread of the library.
  func takeInSoon() {
    if !isTakeInDue.exchange(true) { takeIn(after: 0) }
  }

  private func takeIn(after seconds: Double) {
    lane.perform(after: seconds) { [weak self] in self?.takeIn() }
  }

  /// Takes in what has arrived, or tries again in a moment if somebody has the writer lock.
  private func takeIn() {
    isTakeInDue.withLock { $0 = false }
    let isDone = table.writer.withLockIfFree(attempts: 1) { _ in takeIn(upTo: .max) }
    guard isDone else {
      if !isTakeInDue.exchange(true) { takeIn(after: 0.01) }
      return
    }
    deliverSoon()
    saveSoon()
    runAfterListing()
  }

  /// Runs what is to be run after the first listing, or waits for whoever does so now.
  func runAfterListing() {
    guard known.withLock({ $0.wasListed }) else { return }
    onListing.withLock { bodies in
      for body in bodies { body() }
      bodies = []
    }
  }

  /// Has the handlers of what was taken in be called, by a thread of the library.
  func deliverSoon() {
    handlers.perform { [weak self] in self?.table.support.deliverExternal() }
  }

  /// Commits what has arrived up to a revision; the writer lock is held.
  func takeIn(upTo revision: Int64) {
    for arrival in feed.take(upTo: revision) {
      switch arrival {
      case .changes(let entries, let revision): take(entries, revision: revision)
      case .listing(let entries, let revision, let cluster, let isOther):
        take(listing: entries, revision: revision, cluster: cluster, isOther: isOther)
      }
    }
  }

  private func take(_ entries: [RemoteEntry], revision: Int64) {
    let news = known.withLock { known -> Known.News? in
      guard revision > known.revision else { return nil }
      known.revision = revision
      return known.take(entries)
    }
    if let news { commit(news) }
  }

  private func take(
    listing entries: [RemoteEntry], revision: Int64, cluster: String, isOther: Bool
  ) {
    let present = table.entries
    let news = known.withLock { known -> Known.News? in
      // One that is older than what is shown is followed by another one.
      guard isOther || revision >= known.revision else { return nil }
      let gone = Set(present.keys).union(known.shadows.keys).union(known.unbelieved.keys)
        .subtracting(entries.map(\.name))
        .map { RemoteEntry(name: $0, revision: 0, content: .edit(.remove)) }
      known.revision = revision
      known.cluster = cluster
      known.revisions = [:]
      let several = known.spellings.filter(\.value.areSeveral).keys
      known.spellings = [:]
      if isOther {
        known.isCacheOfOther = true
        known.renewIntents(entries, revision: revision)
      }
      if !known.wasListed { (known.wasListed, known.isWholeUnsaved) = (true, true) }
      var news = known.take(entries + gone)
      news.over += several.filter { known.spellings[$0]?.areSeveral != true }
        .map(Spellings.problem)
      if isOther { news.problems.append(Self.otherCluster(than: table.support.label)) }
      return news
    }
    if let news { commit(news) }
  }

  private static func otherCluster(than place: String) -> SuiteError {
    SuiteError(
      .otherCluster,
      "The cluster is another one than before, and its settings count now. Was it "
        + "restored from a backup, or set up anew?", suite: place)
  }

  private func commit(_ news: Known.News) {
    table.support.reportLater(news.problems, insteadOf: news.over)
    table.commit(table.changes(news.edits), source: .external)
    if news.mustList { feed.list() }
  }
}

// MARK: - The cache

extension Replica {
  /// Has the cache get what it lacks, in a moment.
  func saveSoon() {
    guard cache != nil else { return }
    let isFirst = isSaveDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    if isFirst { lane.perform(after: 0.1) { [weak self] in self?.save() } }
  }

  private func save() {
    isSaveDue.withLock { $0 = false }
    do throws(SuiteError) { try saveToCache() } catch { table.support.report(error) }
  }

  func saveToCache() throws(SuiteError) {
    try withCache { cache throws(SuiteError) in try save(to: cache) }
  }

  /// Runs a body while no other thread writes what this process knows to the cache.
  func withCache(_ body: (Cache) throws(SuiteError) -> Void) throws(SuiteError) {
    guard let cache else { return }
    try saving.withLock { _ throws(SuiteError) in try body(cache) }
  }

  func save(to cache: Cache) throws(SuiteError) {
    let unsaved = known.withLock { known -> Known? in
      guard known.hasUnsaved else { return nil }
      defer { known.noteSaved() }
      return known
    }
    guard let unsaved, let cluster = unsaved.cluster else { return }
    do throws(SuiteError) {
      try cache.save(unsaved, of: cluster, writer: writer.writer) {
        // It may be later than the revision by now: the next one brings it there.
        var all = table.entries
        for (name, edit) in known.withLock({ $0.shadows }) { all[name] = edit.entry }
        return all
      }
    } catch {
      known.withLock { known in
        known.isWholeUnsaved = true
        known.isCacheOfOther = known.isCacheOfOther || unsaved.isCacheOfOther
      }
      throw error
    }
  }
}
