import Defaults
import DefaultsSync
import FuzzInputs

/// A random history of devices that sync through files, checked against ``SyncModel`` at each step.
struct SyncHistory {
  struct Failure: Error {
    let reason: String
    let steps: [String]
  }

  /// What may happen in a history.
  struct Weather {
    /// Clocks are wrong, by minutes or years.
    var hasClockErrors = false
    /// Devices are restored from a backup, lose their settings or what they remember, or move to
    /// another machine.
    var hasRestores = false
    /// Devices are forgotten while they still change settings.
    var hasForgetting = false
    /// Devices vanish for good.
    var hasVanishing = false
    /// All devices know each other from the start, and collect tombstones at once.
    var isAcquainted = false
    /// The suites have no times of their entries.
    var hasTimes = true
  }

  /// A file of a device as the carrier has it, and what its device knew.
  struct Publication {
    let file: DeviceFile
    let knowledge: SyncModel.Knowledge
    /// Whether the copy is a part of the file.
    var isDamaged = false
  }

  static let resolutions: [String: SyncResolution] = [
    "latest": .latest, "other": .latest, "union": .union, "max": .max, "ask": .ask,
  ]
  static let names = resolutions.keys.sorted()

  var random: SplitMix64
  let weather: Weather
  var devices: [SyncHistoryDevice]
  var model = SyncModel()
  /// All files that were ever published, by device in the order of writing.
  var published: [String: [Publication]] = [:]
  /// The time in microseconds since 1970.
  var time: UInt64 = 1_800_000_000_000_000
  var steps: [String] = []
  /// The latest set of each setting with the rule `latest`, by true time.
  var newest: [String: Defaults.Edit] = [:]
  /// The settings whose newest change may lose: it was made and revoked between two syncs, or is a
  /// removal whose time isn't known.
  var revoked: Set<String> = []
  private(set) var passes = 0
  var counter: Int64 = 0
  var nextID: UInt64 = 0

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
    let hasRestores = random.oneIn(3)
    let isAcquainted = random.oneIn(2) && !hasRestores
    // A restored device may come back as a new one, which the others don't know.
    weather = Weather(
      hasClockErrors: random.oneIn(2), hasRestores: hasRestores,
      hasForgetting: random.oneIn(4) && !isAcquainted,
      hasVanishing: random.oneIn(3), isAcquainted: isAcquainted, hasTimes: !random.oneIn(4))
    devices = []
    for _ in 0..<2 + random.below(5) { devices.append(SyncHistoryDevice(id: newID())) }
  }

  mutating func newID() -> String {
    nextID += 1
    // Not in the order of creation.
    return "d\(String(nextID &* 7_919 % 1_000, radix: 36))x\(nextID)"
  }

  /// Plays the history and lets all devices meet at the end.
  mutating func run(_ count: Int) throws {
    if weather.isAcquainted { try meet() }
    for _ in 0..<count {
      time += UInt64(1 + random.below(random.oneIn(4) ? 86_400 : 300)) * 1_000_000
      let index = random.below(devices.count)
      guard !devices[index].hasVanished else { continue }
      switch random.below(20) {
      case 0..<8: set(index)
      case 8..<18: try pass(index)
      case 18: disturbClock(index)
      default: disturb(index)
      }
    }
    try meet()
  }

  func fail(_ reason: String) -> Failure { Failure(reason: reason, steps: steps) }

  // MARK: - Steps

  /// A person changes a setting on a device.
  private mutating func set(_ index: Int) {
    let name = random.pick(Self.names)
    counter += 1
    let edit: Defaults.Edit
    switch name {
    case _ where random.oneIn(4): edit = .remove
    case "union":
      var elements = Set((0..<1 + random.below(3)).map { _ in Int64(random.below(8)) })
      elements.insert(Int64(random.below(8)))
      edit = .set(.array(elements.sorted().map { .integer($0) }))
    case "max": edit = .set(.integer(Int64(random.below(50))))
    default: edit = .set(.integer(counter))
    }
    guard devices[index].suite[name]?.edit ?? .remove != edit else { return }
    steps.append("\(devices[index].local.device) sets \(name) to \(edit)")
    devices[index].set(name, edit, at: time, hasTimes: weather.hasTimes)
    devices[index].unrecorded.insert(name)
    newest[name] = edit
    // A change back to the value of the last sync counts as no change.
    let local = devices[index].local
    if edit == local.value(of: name) || edit == local.noticed[name]?.edit { revoked.insert(name) }
    if case .other(let old, let applying)? = local.applied[name],
      edit == old.edit || edit == applying
    {
      revoked.insert(name)
    }
  }

  private mutating func disturbClock(_ index: Int) {
    guard weather.hasClockErrors else { return }
    let sizes: [Int64] = [0, 0, 0, 300, 900, 86_400, 400 * 86_400, 3_000 * 86_400]
    let seconds = random.pick(sizes) * (random.oneIn(2) ? 1 : -1)
    devices[index].clockError = seconds * 1_000_000
    steps.append("\(devices[index].local.device)'s clock is \(seconds) s off")
  }

  private mutating func disturb(_ index: Int) {
    let id = devices[index].local.device
    switch random.below(6) {
    case 0 where weather.hasVanishing && devices.count { !$0.hasVanished } > 2:
      steps.append("\(id) vanishes")
      devices[index].hasVanished = true
    case 1 where weather.hasRestores:
      devices[index].backUp()
    case 2 where weather.hasRestores:
      guard devices[index].restore() else { return }
      steps.append("\(id) is restored to a backup")
    case 3 where weather.hasRestores:
      steps.append("\(id) loses its state")
      devices[index].loseState(id: newID())
    case 4 where weather.hasRestores:
      steps.append("\(id) loses its settings")
      devices[index].loseSuite(id: newID())
    case 5 where weather.hasRestores:
      devices[index].machine = random.pick(["m", "n"])
      steps.append("\(id) moves to the machine \(devices[index].machine)")
    default: break
    }
  }

  // MARK: - Passes

  /// Returns the files that the carrier shows a device: of each other device any version, in any
  /// number of copies, some of them damaged.
  private mutating func visibleFiles(for index: Int) -> [Publication] {
    var files: [Publication] = []
    for (id, all) in published.sorted(by: { $0.key < $1.key }) {
      // Also those of former ids: a restored device that doesn't see them may use a number twice.
      let isOwn = id == devices[index].local.device || devices[index].ids.contains(id)
      for _ in 0..<(random.oneIn(5) ? 2 : 1) {
        if random.oneIn(4), !isOwn { continue }
        var file = isOwn || random.oneIn(2) ? all[all.count - 1] : random.pick(all)
        file.isDamaged = random.oneIn(8) && !isOwn
        files.append(file)
      }
    }
    for position in files.indices.dropFirst() { files.swapAt(position, random.below(position + 1)) }
    return files
  }

  private mutating func pass(_ index: Int) throws {
    // Another program on the device may know only some of the settings.
    let names = random.oneIn(4) ? Self.names.filter { _ in random.oneIn(2) } : Self.names
    if random.oneIn(8) {
      var device = devices[index]
      device.passOffline(names, &self)
      devices[index] = device
      return
    }
    let files = visibleFiles(for: index)
    let death = random.oneIn(6) ? SyncHistoryDevice.Death(rawValue: random.below(4)) : nil
    let clock = devices[index].clock(time)
    try pass(index, files, names, death) { local, history in
      history.intervene(&local, clock)
    }
  }

  /// A person decides a conflict, or gives up a device.
  private mutating func intervene(_ local: inout LocalState, _ clock: SyncClock) {
    let conflict = local.state.conflict(of: "ask")
    if !conflict.isEmpty, random.oneIn(4) {
      let edit = random.pick(conflict).edit
      steps.append("\(local.device) decides for \(edit)")
      local.decide("ask", for: edit, clock)
    }
    if weather.hasForgetting, random.oneIn(12) {
      let other = random.pick(local.state.devices.keys.sorted())
      guard other != local.device else { return }
      steps.append("\(local.device) gives up \(other)")
      local.state.devices[other]?.isForgotten = true
    }
  }

  mutating func pass(
    _ index: Int, _ files: [Publication], _ names: [String] = Self.names,
    _ death: SyncHistoryDevice.Death? = nil,
    change: (inout LocalState, inout SyncHistory) -> Void = { _, _ in }
  ) throws {
    passes += 1
    for file in files where file.isDamaged && random.oneIn(20) {
      let data = file.file.data
      let part = random.below(data.count - 1)
      if (try? DeviceFile(data.prefix(part))) != nil { throw fail("\(part) bytes are read") }
    }
    let whole = files.filter { !$0.isDamaged }
    var device = devices[index]
    let publication = try device.pass(whole, names, death, &self, change: change)
    devices[index] = device
    devices[index].ids.insert(device.local.device)
    if let publication {
      published[device.local.device, default: []].append(publication)
    }
    try check(device)
  }

  /// Returns whether a device shows what it would without a removal that all devices knew. They may
  /// have collected it at once, which takes 30 days outside of this test.
  private func isUncollected(
    _ name: String, _ shown: Defaults.Edit, in device: SyncHistoryDevice
  ) -> Bool {
    guard weather.isAcquainted else { return false }
    let known = devices.reduce(device.knowledge[name] ?? []) {
      $0.intersection($1.knowledge[name] ?? [])
    }
    let removals = known.filter { model.changes[$0].edit == .remove }
    let rest = model.standing(name, in: device.knowledge).filter { !removals.contains($0) }
    return shown == model.value(of: rest, Self.resolutions[name] ?? .latest)
  }

  /// Compares what a device shows with the model, and checks that its files can be read.
  private func check(_ device: SyncHistoryDevice) throws {
    let state = device.local.state
    let read = SyncState(
      entries: state.entries, context: state.context, held: state.held, devices: state.devices)
    guard read == state else {
      throw fail("\(device.local.device) writes a state that can't be read")
    }
    for name in Self.names {
      let resolution = Self.resolutions[name] ?? .latest
      let shown = device.local.state.value(of: name, resolution)
      let expected = model.value(of: name, resolution, in: device.knowledge)
      guard shown == expected || isUncollected(name, shown, in: device) else {
        let entries = device.local.state.entries[name] ?? []
        let changes = model.standing(name, in: device.knowledge).map { model.changes[$0] }
        throw fail(
          "\(device.local.device) shows \(shown) for \(name), not \(expected): it has \(entries)"
            + " and should have \(changes)")
      }
    }
  }
}
