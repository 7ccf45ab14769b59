/// The suppressions for the leak checker of `swift test --sanitize=address`: memory that Foundation
/// allocated, and a few hundred bytes that XCTest keeps.
///
/// The checker can't see pointers that Swift stores with a tag in one word, as `Data` does, so it
/// reports every constant with such a payload; and `String(contentsOf:)` does leak 4 KiB for each
/// empty file that it reads. Allocations without Foundation in their stack are checked.
@_cdecl("__lsan_default_suppressions")
func leakSuppressions() -> UnsafePointer<UInt8> {
  let suppressions: StaticString = "leak:libFoundation\nleak:libXCTest\n"
  return suppressions.utf8Start
}
