import Foundation

/// Typed preferences: keys that are declared once, read and written by subscript, observed, and kept.
public enum Defaults {}
