/// What the leak checker of `swift test --sanitize=address` is to overlook: memory that Foundation
/// allocated, and the few hundred bytes that XCTest keeps.
///
/// It can't see the pointers that Swift keeps beside a tag in one word, as `Data` does, so it takes
/// every constant with such a payload for lost; and `String(contentsOf:)` does lose 4 KiB for each
/// empty file that it reads. Allocations without Foundation in their stack are checked.
@_cdecl("__lsan_default_suppressions")
func leakSuppressions() -> UnsafePointer<UInt8> {
  let suppressions: StaticString = "leak:libFoundation\nleak:libXCTest\n"
  return suppressions.utf8Start
}
