import Foundation
import Harness

/// Measures the library and its alternatives, and prints one table.
@main
struct Benchmarks {
  static func main() {
    // The result of a write shows that a child has ended.
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let child = ChildCommand(arguments) {
      do {
        try child.run()
        exit(0)
      } catch {
        tell("A child failed: \(error)")
        exit(1)
      }
    }
    let options: Options
    do {
      options = try Options(arguments)
    } catch {
      tell("\(error)\n\(Options.usage)")
      exit(64)
    }
    if options.wantsHelp { return print(Options.usage) }
    do {
      if let status = try Scratch.run() { exit(status) }
      let isMet = try run(options)
      exit(isMet || !options.checks ? 0 : 1)
    } catch {
      tell("\(error)")
      exit(1)
    }
  }

  /// All lines, in the order of their rows.
  private static func lines(_ fixtures: Fixtures) -> [Line] {
    ReadLines(fixtures: fixtures).lines + ThreadLines(fixtures: fixtures).lines
      + WriteLines(fixtures: fixtures).lines + DurableLines(fixtures: fixtures).lines
      + FillLines(fixtures: fixtures).lines + ObservationLines(fixtures: fixtures).lines
      + OpenLines(fixtures: fixtures).lines + ProcessLines(fixtures: fixtures).lines
      + MemoryLines(fixtures: fixtures).lines + SettingsLines(fixtures: fixtures).lines
      + ScopeLines(fixtures: fixtures).lines + CrowdLines(fixtures: fixtures).lines
      + BodyLines(fixtures: fixtures).lines + LayerLines(fixtures: fixtures).lines
      + SyncLines(fixtures: fixtures).lines + FleetLines(fixtures: fixtures).lines
      + PageLines().lines
  }

  /// Returns whether all bars are met.
  private static func run(_ options: Options) throws -> Bool {
    let scratch = try Scratch()
    let lines = lines(Fixtures(scratch)).filter(options.wants)
    guard !lines.isEmpty else { throw HarnessError("The filter matches no line") }
    let start = MonotonicTime.now
    var rows: [Row] = []
    for line in lines {
      let start = MonotonicTime.now
      rows += try line.measure(options.rounds)
      let seconds = Double(MonotonicTime.now - start) / 1e9
      tell(String(format: "%5.1f s  ", seconds) + "\(line.name), \(line.size)")
    }
    let report = Report(rows: rows)
    print(Table(rows: rows))
    print("\nA ratio is the peer's figure divided by ours: above 1, ours is better.")
    let barred = rows.filter { $0.bar != nil }.count
    print(
      "\(barred - report.missed.count) of \(barred) bars are met; \(options.rounds) rounds, "
        + "\((MonotonicTime.now - start) / 1_000_000_000) s.")
    if let path = options.json { try report.json().write(to: URL(filePath: path)) }
    if let path = options.chart {
      try Data(Chart(rows: rows).svg.utf8).write(to: URL(filePath: path))
    }
    if let package = options.package {
      var numbers = try Numbers(of: URL(filePath: package))
      try numbers.record(
        report.numbers.merging(["benchmarks": Numbers.occasion(options.note)]) { $1 })
      if options.filter == nil {
        let chart = "Sources/Defaults/Defaults.docc/Resources/speed.svg"
        try Data(Chart(rows: rows).svg.utf8).write(to: URL(filePath: package + "/" + chart))
      }
    }
    return report.missed.isEmpty
  }

  private static func tell(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
