import Dispatch
import Testing

@testable import Defaults

@Suite("Bodies on threads of the library")
struct LibraryThreadTests {
  @Test("More bodies than threads all run, and block no thread of a task")
  func manyBodies() async {
    let gate = DispatchSemaphore(value: 0)
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<200 {
        group.addTask {
          await LibraryThread.run {
            gate.wait()
            gate.signal()
            return number
          }
        }
      }
      // The bodies wait for this task.
      group.addTask {
        gate.signal()
        return 0
      }
      return await group.reduce(0, +)
    }
    #expect(sum == 199 * 100)
  }
}
