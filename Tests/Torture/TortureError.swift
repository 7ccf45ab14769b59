/// Why something couldn't be tried, or what a child did that it must not.
struct TortureError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
