import Defaults
import DefaultsText
import Foundation

extension Verb {
  static let watch = Verb(
    name: "watch", operands: "[NAME…]", count: 0...Int.max, options: [secrets],
    summary: "print changes until interrupted; lines NAME VALUE on standard input set values"
  ) { command, invocation in
    try command.watch(
      command.keys(named: invocation.operands, orGroups: true),
      showingSecrets: invocation.has(secrets))
  }
}

extension Defaults.Command {
  /// Prints settings now and at each change, until the program is interrupted or the output has no
  /// reader. Lines `NAME VALUE` on standard input change settings meanwhile.
  fileprivate func watch(_ keys: [Defaults.AnyKey], showingSecrets: Bool) throws {
    // In the background of a terminal, reading from it then fails instead of stopping the program.
    // Not undone, since the reader may still wait for input afterwards.
    signal(SIGTTIN, SIG_IGN)
    let error = Following.run { printed in
      let observation = suite.observe(Set(keys.flatMap(\.allNames)), options: [.initial]) {
        change in
        for key in keys { print(change, of: key, showingSecrets: showingSecrets) }
        printed()
      }
      let reader = Thread {
        readLines { line in
          do {
            guard let line else {
              let limit = Defaults.SizeLimit.value >> 20
              throw UsageError("skipped a line of more than \(limit) MiB")
            }
            guard let line = String(validating: line, as: UTF8.self) else {
              throw UsageError("skipped a line that isn't UTF-8 text")
            }
            try set(fromLine: line)
          } catch {
            Console.printError(error)
          }
        }
        // Watching continues after the end of input, which may be empty from the beginning.
      }
      // A line may contain a deeply nested value.
      reader.stackSize = max(reader.stackSize, LibraryThread.leastStackSize)
      reader.start()
      return observation
    }
    try save()
    if let error { throw error }
  }

  private func print(_ change: Defaults.Change, of key: Defaults.AnyKey, showingSecrets: Bool) {
    guard let entry = key.entry(in: change, of: suite) else { return }
    let (old, new) = (key.text(ofEntry: entry.old), key.text(ofEntry: entry.new))
    guard change.isInitial || old != new else { return }
    if suite.isSecret(key), !showingSecrets {
      Console.print("\(key.name) = (secret)\(change.isInitial ? "" : ", changed")")
    } else if change.isInitial {
      Console.print("\(key.name) = \(visible(new))")
    } else {
      Console.print("\(key.name) = \(visible(new)), was \(visible(old))", inColour: true)
    }
  }

  private func set(fromLine line: String) throws {
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let key = try key(named: String(words[0]))
    try explainingRefusal(of: key) {
      try suite.set(text: unescaped(words.count > 1 ? String(words[1]) : ""), for: key)
    }
    try save()
  }
}

extension Defaults.KeyBase {
  /// Returns the entries of the setting before and after a change, under any of its names; nil if
  /// the change doesn't concern the setting. For names outside of the change, the suite's entries
  /// are used.
  fileprivate func entry(
    in change: Defaults.Change, of suite: any Defaults.Suite
  ) -> Defaults.Change.Entry? {
    guard allNames.contains(where: { change.entries[$0] != nil }) else { return nil }
    var (old, new) = (PropertyListValue?.none, PropertyListValue?.none)
    for name in allNames {
      let entry = change.entries[name]
      old = old ?? (entry.map(\.old) ?? suite.entry(named: name))
      new = new ?? (entry.map(\.new) ?? suite.entry(named: name))
    }
    return Defaults.Change.Entry(old: old, new: new)
  }
}

/// Calls a closure with each line of standard input until its end; nil for a line that is too long.
private func readLines(_ body: (ArraySlice<UInt8>?) -> Void) {
  // A thread that waits in `readLine` holds a lock that `exit` needs.
  var buffer = [UInt8](repeating: 0, count: 4096)
  var lines = InputLines()
  while true {
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { break }
    lines.append(buffer.prefix(count), body)
  }
  lines.end(body)
}
