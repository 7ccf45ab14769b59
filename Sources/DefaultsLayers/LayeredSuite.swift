import Defaults
import DefaultsText
import Synchronization

extension Defaults {
  /// A suite of layers. The value of a setting comes from the first layer with a valid entry, and
  /// changes are stored in the writable layer.
  ///
  /// ```swift
  /// let suite = try Defaults.LayeredSuite(
  ///   .managed(),                     // the administrator's settings
  ///   .arguments,                     // --volume=7
  ///   .environment(prefix: "APP_"),   // APP_VOLUME=7
  ///   .writable(.standard),           // the user's file, which stores changes
  ///   .site(),                        // the machine's default settings
  ///   .values(["volume": 3]))         // values built into the program
  /// Defaults.standard = suite    // once, at launch: now Defaults[.volume] reads here
  /// ```
  ///
  /// Every key works with this suite, and the suite meets all requirements of ``Suite``. After all
  /// layers come registered defaults, then the key's own default.
  ///
  /// **Reading** costs the same as in a suite without layers, since layers are resolved when they
  /// change. An invalid entry is reported as an issue that names its place, and the next layer is
  /// used. Arguments and environment variables are texts in the format of ``KeyBase/set(text:)``.
  /// Such a text takes effect when a key of its name is declared or used, since the type of the
  /// value is unknown before.
  ///
  /// **Writing** changes the writable layer, whose entries are stored, locked and shared as usual.
  /// A setting that a higher layer overrides is stored, too, but has no effect as long as that
  /// layer has an entry; see ``AnyKey/isShadowed``. Setting a managed setting throws `managed`, and
  /// `Defaults[…]` reports it. ``KeyBase/reset()`` removes the entry of the writable layer, so that
  /// a lower layer is used. A transaction reads the resulting values and writes the writable layer.
  ///
  /// **Observation** reports the resulting values. When a layer changes, the event has only the
  /// names whose values differ, and its ``Change/layer`` is that layer. Such events are delivered
  /// in order with all other changes.
  public final class LayeredSuite: StoredSuiteView {
    /// The storage of the entries.
    @_documentation(visibility: internal)
    public let storage: StoredSuite
    /// Reports a chosen profile that doesn't exist; nil without a layer for profiles.
    private let profile: ChosenProfile?

    /// Creates a suite of layers.
    ///
    /// An unreadable or damaged file is reported as an issue. Its layer is empty until the file is
    /// repaired. If the file becomes damaged later, the layer keeps its previous entries.
    ///
    /// - Parameters:
    ///   - layer: The layer with the highest precedence.
    ///   - more: The other layers by precedence. Exactly one layer must be ``Layer/writable(_:)``.
    ///   - keys: The keys of all settings. The suite then reports other names in the files and
    ///     environment variables of its layers as issues, except in ``Layer/allowingUnknown``
    ///     layers. Without keys, it doesn't report them, since it only knows the keys that were
    ///     used.
    ///   - onIssue: Receives the issues instead of ``Defaults/issueHandler``, except those of the
    ///     writable suite.
    /// - Throws: `locked` if another thread holds the writable suite in a transaction for too long.
    /// - Precondition: Exactly one layer is writable. No transaction of the writable suite, or of a
    ///   suite that is a layer, is running.
    public convenience init(
      _ layer: Layer, _ more: Layer..., declaring keys: [AnyKey]? = nil,
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      try self.init([layer] + more, declaring: keys, onIssue: onIssue)
    }

    /// Creates a suite of layers, and declares the settings of a schema. Other names in the files
    /// and environment variables of layers are then reported as issues, except in
    /// ``Layer/allowingUnknown`` layers.
    ///
    /// ```swift
    /// let suite = try Defaults.LayeredSuite(
    ///   .files(in: folder), .writable(.standard), declaring: ServerSettings.self)
    /// let settings = ServerSettings(suite: suite)
    /// ```
    public convenience init<Settings: Schema>(
      _ layer: Layer, _ more: Layer..., declaring settings: Settings.Type,
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      try self.init([layer] + more, onIssue: onIssue)
      try declareAll(settings.init(suite: self).keys)
    }

    /// Creates a suite of layers from an array of layers, by precedence.
    public init(
      _ layers: [Layer], declaring keys: [AnyKey]? = nil,
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) throws(SuiteError) {
      let parts = layers.flatMap(\.parts)
      let bases = parts.compactMap { part -> StoredSuite? in
        if case .writable(let base) = part.content { base } else { nil }
      }
      guard let base = bases.first, bases.count == 1 else {
        fatalError(
          "a layered suite needs exactly one writable layer, not \(bases.count)")
      }
      Layer.requireProfileAboveUser(parts)
      let others = parts.compactMap { part -> SuiteSupport? in
        guard case .source(let source as SuiteSource) = part.content else { return nil }
        return source.suite.support
      }
      let support = SuiteSupport(
        label: base.label, redactingLike: [base.support] + others, onIssue: onIssue)
      let levels = parts.map { LayerStack.Level($0) }
      let stack = LayerStack(levels, isSecret: support.isSecret) {
        [weak support, weak writable = base.writable.support] names in
        support?.addSecrets(names)
        // For the history of the stored entries.
        writable?.addSecrets(names)
      } report: { [weak support] in
        support?.report($0)
      }
      let (storage, entries) = try DerivedEntries.suite(on: base, by: stack, support)
      self.storage = storage
      let sources = parts.enumerated().compactMap { index, part -> LoadedSource? in
        guard case .source(let source) = part.content else { return nil }
        return LoadedSource(source, of: part, at: index, of: entries)
      }
      try entries.change(layer: "") { stack in
        stack.keep(sources)
        return []
      }
      for source in sources { try source.start() }
      profile = ChosenProfile(parts, base, support)
      if let keys { try declareAll(keys) }
    }
  }
}

/// The source of a layer, and the layer's index in a suite.
final class LoadedSource: Sendable {
  private let source: any Defaults.LayerSource
  private let part: Defaults.Layer.Part
  private let index: Int
  /// The entries of the suite; nil after the suite was released.
  private let entries: @Sendable () -> DerivedEntries<LayerStack>?
  /// Held from loading until the content is stored, so that old content never replaces newer.
  private let loading = Mutex(())
  private let watching = Mutex<(any Sendable)?>(nil)

  init(
    _ source: any Defaults.LayerSource, of part: Defaults.Layer.Part, at index: Int,
    of entries: DerivedEntries<LayerStack>
  ) {
    self.source = source
    self.part = part
    self.index = index
    self.entries = { [weak entries] in entries }
  }

  /// The suite that is the source; nil for any other source.
  var suite: Defaults.StoredSuite? { (source as? SuiteSource)?.suite.stored }

  /// Starts to observe, then loads, immediately: no other code uses the suite yet.
  func start() throws(Defaults.SuiteError) {
    let watch = source.watch { [weak self] in self?.load() }
    watching.withLock { $0 = watch }
    if let entries = entries() { try take(into: entries) }
  }

  /// Lets a source suite read changes of other processes, then loads the source.
  func refresh() {
    // The source suite reports its own issues, and keeps its entries on failure.
    try? (source as? SuiteSource)?.suite.refresh()
    load()
  }

  /// Loads the source and applies its content, after the end of a running transaction.
  func load() {
    TransactionScope.callOutside { [self] in
      guard let entries = entries() else { return }
      // Outside of transactions, no thread that this one waits for can wait for this thread.
      try? take(into: entries)
    }
  }

  private func take(into entries: DerivedEntries<LayerStack>) throws(Defaults.SuiteError) {
    // Handlers are called without this lock, too.
    try TransactionScope.postponingHandlers { () throws(Defaults.SuiteError) in
      try loading.withLock { _ throws(Defaults.SuiteError) in
        let (content, problems) = read()
        try entries.change(layer: part.name) { $0.put(content, problems, at: index) }
      }
    }
    entries.deliverExternal()
  }

  /// Reads the source. Without a content, the previous content stays.
  private func read() -> (content: Defaults.LayerContent?, problems: [Defaults.SuiteError]) {
    do {
      let content = try part.loading.load(source)
      return (content, content.problems)
    } catch {
      return (nil, [Defaults.SuiteError(wrapping: error, .unreadable, suite: source.label)])
    }
  }
}
