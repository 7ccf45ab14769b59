import Synchronization

/// Scenarios in which the disk fails before the crash.
extension SuiteCrashes {
  static var fullDisk: Scenario {
    Scenario(
      name: "a full disk", subject: SuiteSubject(), prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(.snapshot),
        Step(
          name: "the disk is full", promise: .nothing,
          run: { stage in
            stage.disk.decide { if case .write = $0.kind { .failure(.ENOSPC) } else { .success } }
          }), set("a", 2, promise: .nothing),
        Step(
          name: "it has room for a few bytes", promise: .nothing,
          run: { stage in
            stage.disk.decide {
              guard case .write(_, let bytes, _) = $0.kind else { return .success }
              return bytes.count > 1_000 ? .failure(.ENOSPC) : .short(3)
            }
          }), set("b", 1), flush(),
        Step(name: "the disk is empty", promise: .nothing, run: { $0.disk.decide(nil) }),
        set("c", 1),
        flush(.snapshot),
      ])
  }

  static var failedSync: Scenario {
    Scenario(
      name: "a sync that fails", subject: SuiteSubject(), prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(), set("a", 2),
        Step(
          name: "a flush fails",
          run: { stage in
            stage.disk.decide {
              switch $0.kind {
              case .synchronize, .synchronizeContent: .failure(.EIO)
              default: .success
              }
            }
            defer { stage.disk.decide(nil) }
            guard (try? stage.process(0).flush()) == nil else {
              throw SuiteSubject.Problem(sentence: "the flush should have failed")
            }
          }), set("b", 1), flush(), set("c", 1), flush(.snapshot),
      ])
  }

  /// One sync of a snapshot fails, given by its number, and its data is lost. Later flushes must
  /// still be correct.
  static func failedSnapshotSync(at number: Int) -> Scenario {
    Scenario(
      name: "a snapshot whose sync \(number) fails", subject: SuiteSubject(),
      prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(.snapshot), set("a", 2), set("b", 1),
        failing(at: number, flush(.snapshot, mayFail: true)), flush(mayFail: true), set("c", 1),
        flush(mayFail: true), set("d", 1), flush(.snapshot, mayFail: true), set("a", 3),
      ])
  }

  /// The same while the snapshot merges a change of another program into the file.
  static func failedMergeSync(at number: Int) -> Scenario {
    Scenario(
      name: "a merge whose sync \(number) fails", subject: SuiteSubject(),
      prepare: { DiskImage() }, start: [:],
      steps: [
        setAll(["a": 1, "b": 1]), flush(.snapshot), set("a", 2), flush(),
        foreignWrite(["a": 1, "b": 5, "c": 5], changing: ["b": 5, "c": 5]),
        failing(at: number, set("d", 1), flush(mayFail: true), flush(.snapshot, mayFail: true)),
        flush(mayFail: true), set("b", 6), flush(mayFail: true),
      ])
  }

  /// Steps in which one sync fails, given by its number.
  private static func failing(at number: Int, _ steps: Step...) -> Step {
    Step(
      name: "sync \(number) fails", promise: .nothing,
      run: { stage in
        let count = Mutex(0)
        stage.disk.decide { operation in
          switch operation.kind {
          case .synchronize, .synchronizeContent:
            count.withLock { count in
              count += 1
              return count == number ? .failure(.EIO) : .success
            }
          default: .success
          }
        }
        defer { stage.disk.decide(nil) }
        for step in steps { try stage.perform(step) }
      })
  }
}
