import Defaults

// Diagnostics for common mistakes: unavailable declarations. The compiler chooses them only if no
// other declaration fits, and shows their messages. None of them can be called.

extension Defaults.Layer {
  /// Diagnoses an environment without a prefix.
  @available(
    *, unavailable,
    message: "give the prefix of the program's variables: `.environment(prefix: \"APP_\")`"
  )
  public static var environment: Self { fatalError() }

  /// Diagnoses missing parentheses.
  @available(*, unavailable, message: "write `.managed()`, or `.managed(at: url)` for another file")
  public static var managed: Self { fatalError() }

  /// Diagnoses missing parentheses.
  @available(*, unavailable, message: "write `.site()`, or `.site(at: url)` for another file")
  public static var site: Self { fatalError() }

  /// Diagnoses missing parentheses.
  @available(*, unavailable, message: "write `.profile()`, or `.profile(name)` for a fixed profile")
  public static var profile: Self { fatalError() }
}
