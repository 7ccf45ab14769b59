/// Why something couldn't be tried or measured, or what a child did that it must not.
package struct HarnessError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
