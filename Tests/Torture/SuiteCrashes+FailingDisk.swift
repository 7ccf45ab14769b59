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
}
