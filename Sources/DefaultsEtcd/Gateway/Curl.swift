#if !canImport(Darwin)
  import Defaults
  import Foundation

  /// The system's libcurl, version 7.68 or later, loaded on first use.
  ///
  /// It is looked up at run time instead of being linked, so that this package builds without
  /// curl's headers. Constants and types are those of `curl.h` and `multi.h`, which never change.
  /// Some functions are variadic there (`...`); on Linux such an argument is passed like any other.
  struct Curl: Sendable {
    typealias Handle = UnsafeMutableRawPointer
    /// A function that takes a part of the answer, or supplies a part of the request.
    typealias Transfer =
      @convention(c) (
        UnsafeMutableRawPointer?, Int, Int, UnsafeMutableRawPointer?
      ) -> Int
    private typealias Make = @Sendable @convention(c) () -> Handle?
    private typealias Use = @Sendable @convention(c) (Handle) -> CInt
    private typealias Drop = @Sendable @convention(c) (Handle) -> Void
    private typealias SetNumber = @Sendable @convention(c) (Handle, CInt, Int) -> CInt
    private typealias SetPointer =
      @Sendable @convention(c) (Handle, CInt, UnsafeRawPointer?) -> CInt
    private typealias SetTransfer = @Sendable @convention(c) (Handle, CInt, Transfer) -> CInt
    private typealias GetNumber =
      @Sendable @convention(c) (Handle, CInt, UnsafeMutablePointer<Int>) -> CInt
    private typealias Append =
      @Sendable @convention(c) (Handle?, UnsafePointer<CChar>) -> Handle?
    private typealias Pair = @Sendable @convention(c) (Handle, Handle) -> CInt
    private typealias Perform =
      @Sendable @convention(c) (Handle, UnsafeMutablePointer<CInt>) -> CInt
    private typealias Poll =
      @Sendable @convention(c) (
        Handle, UnsafeRawPointer?, CUnsignedInt, CInt, UnsafeMutablePointer<CInt>?
      ) -> CInt
    private typealias Read =
      @Sendable @convention(c) (Handle, UnsafeMutablePointer<CInt>) -> UnsafeRawPointer?
    private typealias GlobalInit = @Sendable @convention(c) (Int) -> CInt
    private typealias InitCrypto =
      @Sendable @convention(c) (UInt64, UnsafeRawPointer?) -> CInt

    enum Number: CInt {
      case post = 47
      case postFieldSize = 60
      case noSignal = 99
      case timeoutMilliseconds = 155
      case protocols = 181
      case keepsAlive = 213
      case httpVersion = 84
    }

    enum Pointer: CInt {
      case writeData = 10_001
      case url = 10_002
      case proxy = 10_004
      case readData = 10_009
      case errorBuffer = 10_010
      case postFields = 10_015
      case headers = 10_023
      case certificate = 10_025
      case authority = 10_065
      case key = 10_087
    }

    enum Info: CInt {
      case status = 0x20_0002
      case requestSize = 0x20_000c
    }

    private static let writeFunction: CInt = 20_011
    private static let readFunction: CInt = 20_012

    private let easyInit: Make
    private let easyCleanup: Drop
    private let easyReset: Drop
    private let setNumber: SetNumber
    private let setPointer: SetPointer
    private let setTransfer: SetTransfer
    private let getNumber: GetNumber
    private let listAppend: Append
    private let listFree: Drop
    private let multiInit: Make
    private let multiCleanup: Use
    private let multiAdd: Pair
    private let multiRemove: Pair
    private let multiPerform: Perform
    private let multiPoll: Poll
    private let multiWake: Use
    private let multiRead: Read

    /// The library lacks a function.
    private struct Missing: Error {}

    /// nil if libcurl isn't available.
    static let shared = Self()

    init?(names: [String] = ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"]) {
      // Never closed, since the functions are used until the process ends.
      guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
        return nil
      }
      // The caller determines the function type, according to curl's headers.
      func function<Function>(_ name: String) throws(Missing) -> Function {
        guard let symbol = dlsym(library, name) else { throw Missing() }
        return unsafeBitCast(symbol, to: Function.self)
      }
      let globalInit: GlobalInit
      do throws(Missing) {
        globalInit = try function("curl_global_init")
        easyInit = try function("curl_easy_init")
        easyCleanup = try function("curl_easy_cleanup")
        easyReset = try function("curl_easy_reset")
        setNumber = try function("curl_easy_setopt")
        setPointer = try function("curl_easy_setopt")
        setTransfer = try function("curl_easy_setopt")
        getNumber = try function("curl_easy_getinfo")
        listAppend = try function("curl_slist_append")
        listFree = try function("curl_slist_free_all")
        multiInit = try function("curl_multi_init")
        multiCleanup = try function("curl_multi_cleanup")
        multiAdd = try function("curl_multi_add_handle")
        multiRemove = try function("curl_multi_remove_handle")
        multiPerform = try function("curl_multi_perform")
        multiPoll = try function("curl_multi_poll")
        multiWake = try function("curl_multi_wakeup")
        multiRead = try function("curl_multi_info_read")
      } catch {
        return nil
      }
      // See `CurlGate`; `OPENSSL_INIT_NO_ATEXIT`. nil for a libcurl without OpenSSL.
      if let symbol = dlsym(library, "OPENSSL_init_crypto") {
        _ = unsafeBitCast(symbol, to: InitCrypto.self)(0x8_0000, nil)
      }
      // Initializes everything. Parts that Foundation has initialized are skipped.
      guard globalInit(3) == 0 else { return nil }
    }
  }

  extension Curl {
    func makeEasy() -> Handle? { easyInit() }
    func drop(easy: Handle) { easyCleanup(easy) }
    func reset(_ easy: Handle) { easyReset(easy) }

    func set(_ option: Number, _ value: Int, _ easy: Handle) {
      _ = setNumber(easy, option.rawValue, value)
    }

    /// Only texts are copied. Other values must live as long as the handle uses them.
    func set(_ option: Pointer, _ value: UnsafeRawPointer?, _ easy: Handle) {
      _ = setPointer(easy, option.rawValue, value)
    }

    func set(_ option: Pointer, _ text: String, _ easy: Handle) {
      text.withCString { set(option, UnsafeRawPointer($0), easy) }
    }

    func set(write: Transfer, _ easy: Handle) { _ = setTransfer(easy, Self.writeFunction, write) }
    func set(read: Transfer, _ easy: Handle) { _ = setTransfer(easy, Self.readFunction, read) }

    func get(_ info: Info, _ easy: Handle) -> Int {
      var value = 0
      return getNumber(easy, info.rawValue, &value) == 0 ? value : 0
    }

    func makeList(_ lines: [String]) -> Handle? {
      lines.reduce(nil) { list, line in line.withCString { listAppend(list, $0) } ?? list }
    }

    func drop(list: Handle) { listFree(list) }

    func makeMulti() -> Handle? { multiInit() }
    func drop(multi: Handle) { _ = multiCleanup(multi) }
    func add(_ easy: Handle, to multi: Handle) { _ = multiAdd(multi, easy) }
    func remove(_ easy: Handle, from multi: Handle) { _ = multiRemove(multi, easy) }

    /// Makes progress without waiting, and returns whether the transfer is still running.
    func run(_ multi: Handle) -> Bool {
      var count: CInt = 0
      return multiPerform(multi, &count) == 0 && count > 0
    }

    /// Waits until there is work to do, or until `wake` is called.
    func wait(_ multi: Handle, milliseconds: CInt) {
      _ = multiPoll(multi, nil, 0, milliseconds, nil)
    }

    func wake(_ multi: Handle) { _ = multiWake(multi) }

    /// The result code of the transfer; 0 for success.
    func result(_ multi: Handle) -> CInt {
      var count: CInt = 0
      // `CURLMsg`: a number, a pointer, and the result in a union as wide as a pointer.
      let offset = 2 * MemoryLayout<UnsafeRawPointer>.size
      return multiRead(multi, &count)?.load(fromByteOffset: offset, as: CInt.self) ?? 0
    }
  }
#endif
