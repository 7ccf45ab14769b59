// The package manager makes a symbol of this name the program's `main`, instead of libFuzzer's own.
// So this calls libFuzzer's driver.

private typealias Test = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments?>, _ test: Test
) -> CInt

/// The program: libFuzzer with its own arguments.
@_cdecl("Fuzz_main")
public func fuzz(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments) { testOneInput($0, $1) }
}
