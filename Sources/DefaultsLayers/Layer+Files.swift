import Defaults
import Foundation

// The layers of files that people and systems write, in folders and as variables.

extension Defaults.Layer {
  /// A folder with a file for each setting. The name of the file is the name of the setting, and
  /// its content is the value. Docker and Kubernetes give secrets and ConfigMaps to a program in
  /// this form.
  ///
  /// ```swift
  /// .folder(URL(filePath: "/run/secrets"), isSecret: true, name: "secrets")
  /// ```
  ///
  /// A value is a text in the format of ``KeyBase/set(text:)``, without the line break at its end.
  /// For a setting that is stored as data, the value is the bytes of the file. Folders, and files
  /// whose names begin with a dot, are ignored. If a file is larger than 1 MiB or isn't UTF-8, the
  /// suite reports an issue and uses the next layer.
  ///
  /// The files may be added, changed and removed at any time, also all at once by exchanging a
  /// symbolic link, as Kubernetes does. Then all changes are one event.
  ///
  /// - Parameters:
  ///   - url: The folder, which may be missing.
  ///   - isSecret: Whether the values are redacted from descriptions, issues and the output of
  ///     commands, and left out of exports, as if the keys were secret.
  ///   - name: The layer's name.
  public static func folder(
    _ url: URL, isSecret: Bool = false, name: String = "folder"
  ) -> Self {
    Self(name, FolderSource(path: Defaults.FileSource.path(of: url)), isSecret: isSecret)
  }

  /// The credentials that systemd gives to a service, as secrets: the ``folder(_:isSecret:name:)``
  /// in `CREDENTIALS_DIRECTORY`. Without that variable, and in a privileged (setuid) program, there
  /// are no credentials.
  ///
  /// In the unit, `LoadCredential=token:/etc/app/token` gives the setting `token`.
  public static var credentials: Self {
    let path = ProcessInput.current.environment["CREDENTIALS_DIRECTORY"]
    let absolute = path.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    return Self("credentials", FolderSource(path: absolute), isSecret: true)
  }

  /// All files of a folder, such as `/etc/app/conf.d`, whose names end with `.plist`, `.json` or
  /// `.jsonc`.
  ///
  /// ```swift
  /// .files(in: URL(filePath: "/etc/app/conf.d"))
  /// ```
  ///
  /// If several files have a setting, the last one by name is used: `50-site.json` overrides
  /// `10-package.json`. Names are compared by their Unicode scalars. Files whose names begin with a
  /// dot are ignored. If a file is damaged, the suite reports an issue and uses the previous
  /// entries of this file. Files may be added, changed and removed at any time.
  ///
  /// - Parameters:
  ///   - url: The folder, which may be missing.
  ///   - name: The layer's name.
  public static func files(in url: URL, name: String = "files") -> Self {
    Self(name, FilesSource(path: Defaults.FileSource.path(of: url)))
  }

  /// A file of variables, such as `.env`: lines `NAME=VALUE`, which name settings as
  /// ``environment(prefix:)`` does.
  ///
  /// ```swift
  /// .dotenv(URL(filePath: "/etc/app/app.env"), prefix: "APP_")
  /// // APP_EDITOR_TAB_WIDTH=4     # the setting editor.tabWidth
  /// // export APP_TITLE="two words\n"
  /// ```
  ///
  /// A value in single quotation marks is literal. In double quotation marks, `\n`, `\r`, `\t`,
  /// `\"`, `\\` and `\$` are escapes, and the value may have several lines. Variables aren't
  /// expanded: `${X}` is text. `#` begins a comment at the start of a line and after a space. If
  /// several lines have one name, the last one is used. A line that isn't `NAME=VALUE` is ignored,
  /// and the suite reports an issue with the number of the line.
  ///
  /// - Parameters:
  ///   - url: The file, which may be missing. A privileged (setuid) program ignores a URL that is
  ///     relative to the working folder.
  ///   - prefix: The beginning of the names of the variables. Without a prefix, `EDITOR_TAB_WIDTH`
  ///     is `editor.tabWidth`.
  ///   - name: The layer's name.
  public static func dotenv(
    _ url: URL, prefix: String? = nil, name: String = "dotenv"
  ) -> Self {
    Self(name, Dotenv.source(trusted(url), prefix: prefix ?? ""))
  }

  /// The URL; nil for a relative URL in a privileged program, whose user chooses the working
  /// folder.
  static func trusted(
    _ url: URL, isForeign: Bool = FileLocation.isStartedByOthers
  ) -> URL? {
    isForeign && url.baseURL != nil ? nil : url
  }
}
