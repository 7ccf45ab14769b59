import Defaults
import Foundation

/// The entries of a cluster under a prefix, in memory.
///
/// Changes of the cluster arrive in the ``Feed``, and are committed to the table in the order of
/// the revisions. A change of this process is first made in the cluster. Then the table applies all
/// earlier changes of the cluster, and the change. So the table has each state of the cluster in
/// order, and no other state.
final class Replica: Persistence {
  let table: EntryTable
  let gateway: Gateway
  let space: KeySpace
  let settings: Settings
  let feed = Feed()
  let cache: Cache?
  let writer: ClusterWriter
  /// Locked after the table's writer lock.
  let known: Lock<Known>
  /// The known keys, which validate the cluster's values.
  private let keys = Lock<[String: Defaults.AnyKey]>([:])
  private let lane = BackgroundLane()
  /// Runs handlers, so that a slow one doesn't delay the application of changes.
  private let handlers = BackgroundLane()
  private let isTakeInDue = Lock(false)
  private let isSaveDue = Lock(false)
  /// Held while the cache is written, so that a thread with nothing to save finds it complete.
  private let saving = Lock(())
  /// Called without a lock when the table has the entries of a listing.
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
    known.hasCache = cache != nil
    if let note = content.note {
      known.revision = note.revision
      // Before the first listing, the cache has only queued sets, and no cluster.
      known.cluster = note.cluster.isEmpty ? nil : note.cluster
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
    writer = ClusterWriter(gateway, space, settings.timing, place: support.label)
    add(keys)
  }

  /// Validates the cluster's values with the known keys.
  var reader: EntryReader {
    EntryReader(space: space, encoding: settings.encoding, isSecret: table.support.isSecret) {
      [weak self] name in
      self?.keys.withLock { $0[name] }
    }
  }

  /// Adds the keys with which the suite is opened, and redacts the values of secrets.
  func add(_ keys: [Defaults.AnyKey]) {
    table.support.addSecrets(keys.filter(\.isSecret).flatMap(\.allNames))
    keys.forEach(addKey)
  }

  func addKey(_ key: any DeclaredKey) {
    if keys.withLock({ $0[key.name] != nil }) { return }
    guard let key = (key as? Defaults.AnyKey)?.detached() else { return }
    keys.withLock { keys in
      if keys[key.name] == nil { keys[key.name] = key }
    }
  }

  var health: Defaults.Health { .intact }

  func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    guard !KeySpace.isMark(name), name != Cache.noteName else {
      throw SuiteError(
        .unrepresentable, "The name is reserved for the library; use another name", key: name)
    }
    // Also without a cache, so that all programs accept the same values.
    try Defaults.PropertyListFormat.binary.validate(value, named: name)
  }

  func close() {
    let wasLive = feed.update { state in
      state.isClosed = true
      return state.isLive
    }
    save()
    // Lets the next start tell how old the entries are. A failure isn't worth an issue.
    if wasLive { try? cache?.noteCurrent() }
  }

  func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    // Changes that the cluster has confirmed are durable there.
    guard let cache else { return }
    try saveToCache()
    try cache.suite.flush(extent)
  }

  /// Calls a closure after the next listing.
  func afterListing(_ body: @escaping @Sendable () -> Void) {
    onListing.withLock { $0.append(body) }
  }
}

// MARK: - Applying changes

extension Replica {
  /// Applies arrived changes on a thread of the library.
  func takeInSoon() {
    if !isTakeInDue.exchange(true) { takeIn(after: 0) }
  }

  private func takeIn(after seconds: Double) {
    lane.perform(after: seconds) { [weak self] in self?.takeIn() }
  }

  /// Applies arrived changes, or tries again soon if another thread holds the writer lock.
  private func takeIn() {
    isTakeInDue.withLock { $0 = false }
    let done: Void? = table.writer.withLockIfFree(attempts: 1) { _ in takeIn(upTo: .max) }
    guard done != nil else {
      if !isTakeInDue.exchange(true) { takeIn(after: 0.01) }
      return
    }
    deliverSoon()
    saveSoon()
    runAfterListing()
  }

  /// Runs the closures for the first listing, or waits for a thread that runs them.
  func runAfterListing() {
    guard known.withLock({ $0.wasListed }) else { return }
    onListing.withLock { bodies in
      for body in bodies { body() }
      bodies = []
    }
  }

  /// Calls the handlers of applied changes on a thread of the library.
  func deliverSoon() {
    handlers.perform { [weak self] in self?.table.support.deliverExternal() }
  }

  /// Commits arrived changes up to a revision. Requires the writer lock.
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
      // A newer listing follows one that is older than the table.
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
      "The cluster isn't the same as before, and its settings are used. The cluster may have been "
        + "restored from a backup, or set up again", suite: place)
  }

  private func commit(_ news: Known.News) {
    table.support.reportLater(news.problems, insteadOf: news.over)
    table.commit(table.changes(news.edits), source: .external)
    if news.mustList { feed.list() }
  }
}

// MARK: - The cache

extension Replica {
  /// Saves missing entries to the cache in a moment.
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

  /// Runs a body while no other thread writes to the cache.
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
      let problems = try cache.save(unsaved, of: cluster, writer: writer.writer) {
        // The entries may be newer than the revision. The next save corrects the revision.
        var all = table.entries
        for (name, edit) in known.withLock({ $0.shadows }) { all[name] = edit.entry }
        return all
      }
      guard !problems.isEmpty else { return }
      table.support.reportLater(problems)
      deliverSoon()
    } catch {
      known.withLock { known in
        known.isWholeUnsaved = true
        known.isCacheOfOther = known.isCacheOfOther || unsaved.isCacheOfOther
      }
      throw error
    }
  }
}
