/// The content security policy of the page: nothing but its own style and script, which the browser
/// recognizes by their digests.
enum PagePolicy {
  static let text = [
    "default-src 'none'", "style-src '\(styleDigest)'", "script-src '\(scriptDigest)'",
    "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
  ].joined(separator: "; ")

  // SHA-256 in Base64. A test computes them, and prints the right ones after a change.
  static let styleDigest = "sha256-hs0I3r93GHes4qHRd61BeQQGLOQtka+YE9s5+6+q/lg="
  static let scriptDigest = "sha256-MMe/7mDHAQDbp0zvgMBb4oeTgJo4/VgNM6UkRtMhpao="
}
