import Testing

extension TimeLimitTrait.Duration {
  /// A test that takes this long hangs.
  ///
  /// All tests of a run begin together and share its threads, so one that waits for anything may
  /// take as long as the whole run does, on a machine that is slow or does something else besides.
  static var aHang: Self { .minutes(20) }
}
