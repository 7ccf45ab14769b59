import Defaults
import DefaultsText
import Synchronization

extension Defaults {
  /// A suite of layers: each setting has the value of the first layer that gives a valid one, and
  /// what is set goes to the writable one.
  ///
  /// ```swift
  /// let suite = try Defaults.LayeredSuite(
  ///   .managed(),                     // what the administrator prescribes
  ///   .arguments,                     // --volume=7
  ///   .environment(prefix: "APP_"),   // APP_VOLUME=7
  ///   .writable(.standard),           // the user's file: what is set goes there
  ///   .site(),                        // what the machine's owner suggests
  ///   .values(["volume": 3]))         // what the program is built with
  /// Defaults.standard = suite    // once, at launch: now Defaults[.volume] reads here
  /// ```
  ///
  /// Every key works here, and every requirement holds. After all layers come registered defaults, then the
  /// key's own default.
  ///
  /// **Reading** costs what it costs in a suite without layers: they are resolved when they change.
  /// An entry that isn't a value of its key, or that the key's rules don't allow, is an issue that
  /// names the place, and the next layer counts. Arguments and variables of the environment are
  /// texts, as ``KeyBase/set(text:)`` takes them; they count as soon as their key is declared or
  /// used, for before nobody knows what they mean.
  ///
  /// **Writing** goes to the writable layer, whose entries are stored, locked and shared as ever. A
  /// setting that a layer above gives is written too, and returns; it has no effect as long as that
  /// layer gives it, which ``AnyKey/isShadowed`` says. One that a managed layer gives isn't written:
  /// that throws `managed`, and `Defaults[…]` reports it. ``KeyBase/reset()`` removes the entry of
  /// the writable layer, and what lies below comes out. A transaction sees the values that count, and
  /// writes the writable layer.
  ///
  /// **Observation** tells of what counts: of a layer's change only the names whose value is another
  /// one then, with the ``Change/layer``, in one order with what is set.
  public final class LayeredSuite: StoredSuiteView {
    /// What holds the entries.
    @_documentation(visibility: internal)
    public let storage: StoredSuite

    /// A suite of these layers, the strongest first; one of them is ``Layer/writable(_:)``, which
    /// traps otherwise.
    ///
    /// `onIssue` takes its issues in place of ``Defaults/issueHandler``; those of the writable suite
    /// stay with that. A file that can't be read, or is damaged, is an issue, and its layer is empty
    /// until it is mended. Inside of a transaction of the writable suite, or of one that is a layer,
    /// this traps.
    public convenience init(
      _ layer: Layer, _ more: Layer..., onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      try self.init([layer] + more, onIssue: onIssue)
    }

    /// A suite of these layers, the strongest first; see the variadic form.
    public init(
      _ layers: [Layer], onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      let parts = layers.flatMap(\.parts)
      let bases = parts.compactMap { part -> StoredSuite? in
        if case .writable(let base) = part.content { base } else { nil }
      }
      guard let base = bases.first, bases.count == 1 else {
        fatalError(
          "a suite of layers has one writable layer, and here are \(bases.count); give it one")
      }
      let support = SuiteSupport(label: base.label, onIssue: onIssue)
      let levels = parts.map { LayerStack.Level($0) }
      let (storage, entries) = try DerivedEntries.suite(on: base, by: LayerStack(levels), support)
      self.storage = storage
      let sources = parts.enumerated().compactMap { index, part -> LoadedSource? in
        guard case .source(let source) = part.content else { return nil }
        return LoadedSource(source, named: part.name, at: index, of: entries)
      }
      try entries.change(layer: "") { stack in
        stack.keep(sources)
        return []
      }
      for source in sources { try source.start() }
    }
  }
}

/// What a layer is loaded from, and its place in a suite.
final class LoadedSource: Sendable {
  private let source: any Defaults.LayerSource
  private let name: String
  private let index: Int
  /// What it is loaded into; nil when the suite has gone.
  private let entries: @Sendable () -> DerivedEntries<LayerStack>?
  /// Held while the source is loaded and its content put in place, so that the later one counts.
  private let loading = Mutex(())
  private let watching = Mutex<(any Sendable)?>(nil)

  init(
    _ source: any Defaults.LayerSource, named name: String, at index: Int,
    of entries: DerivedEntries<LayerStack>
  ) {
    self.source = source
    self.name = name
    self.index = index
    self.entries = { [weak entries] in entries }
  }

  /// The suite that it is loaded from; nil if it is something else.
  var suite: Defaults.StoredSuite? { (source as? SuiteSource)?.suite.stored }

  /// Listens first, and looks second; at once, since nobody else has the suite so far.
  func start() throws(Defaults.SuiteError) {
    let watch = source.watch { [weak self] in self?.load() }
    watching.withLock { $0 = watch }
    if let entries = entries() { try take(into: entries) }
  }

  /// Has another suite take in what others have committed, and loads the source.
  func refresh() {
    // What it can't take in is its own issue, and it has what it had.
    try? (source as? SuiteSource)?.suite.refresh()
    load()
  }

  /// Loads the source, and puts what it has now in place; inside of a transaction when that has
  /// ended.
  func load() {
    Defaults.afterTransactions { [self] in
      guard let entries = entries() else { return }
      // Outside of transactions nobody is waited for who could wait for this thread.
      try? take(into: entries)
    }
  }

  private func take(into entries: DerivedEntries<LayerStack>) throws(Defaults.SuiteError) {
    try loading.withLock { _ throws(Defaults.SuiteError) in
      // nil where the last one that could be read stays.
      var content: Defaults.LayerContent?
      var problem: Defaults.SuiteError?
      do {
        let loaded = try source.load()
        (content, problem) = (loaded, loaded.problem)
      } catch {
        problem = Defaults.SuiteError(wrapping: error, .unreadable, suite: source.label)
      }
      try entries.change(layer: name) { [content, problem] stack in
        stack.put(content, problem, at: index)
      }
    }
    entries.deliver()
  }
}
