/// The content security policy of the page: nothing but its own style and script, which the browser
/// recognizes by their digests.
enum PagePolicy {
  static let text = [
    "default-src 'none'", "style-src '\(styleDigest)'", "script-src '\(scriptDigest)'",
    "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
  ].joined(separator: "; ")

  // SHA-256 in Base64. A test computes them, and prints the right ones after a change.
  static let styleDigest = "sha256-o5rQepphsLwhX6VyK8/UDRDUUKV+nzRb66qLuPTnyqg="
  static let scriptDigest = "sha256-qp78kkanY/Eb/zOpeByFY8kGbFcjptc13yBX2jrv5ZI="
}
