/// The reason why a test or measurement couldn't run, or a violation by a child.
package struct HarnessError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
