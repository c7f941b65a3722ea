import { basename, dirname } from "node:path/posix";

/**
 * Modules that pytest and the tests load before any module of the repository: those of Python (sys.stdlib_module_names of 3.11, and the private ones up to 3.14)
 * and of pytest with its usual plugins. A file with such a name in the folder that Python searches first is loaded instead of
 * them.
 */
const MODULES: ReadonlySet<string> = new Set(
  `
  _abc _aix_support _android_support _apple_support _ast _ast_unparse _asyncio _bisect _blake2 _bootsubprocess _bz2
  _codecs _collections _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses
  _curses_panel _datetime _dbm _decimal _elementtree _functools _gdbm _hashlib _heapq _hmac _imp _interpchannels
  _interpqueues _interpreters _io _ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec
  _multiprocessing _opcode _opcode_metadata _operator _osx_support _overlapped _pickle _posixshmem _posixsubprocess
  _py_abc _py_warnings _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random _remote_debugging _scproxy _sha1
  _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime
  _struct _suggestions _symtable _sysconfig _thread _threading_local _tkinter _tokenize _tracemalloc _typing _uuid
  _warnings _weakref _weakrefset _winapi _wmi _zoneinfo _zstd
  _pytest abc aifc argparse array ast asynchat asyncio asyncore atexit attr attrs audioop base64 bdb binascii bisect
  builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorama colorsys compileall
  concurrent configparser contextlib contextvars copy copyreg coverage crypt csv ctypes curses dataclasses datetime dbm
  decimal difflib dis distutils doctest email encodings ensurepip enum errno exceptiongroup execnet faulthandler fcntl
  filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip
  hashlib heapq hmac html http hypothesis imaplib imghdr imp importlib iniconfig inspect io ipaddress itertools json
  keyword linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap mock modulefinder msilib msvcrt
  multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev packaging pathlib
  pdb pickle pickletools pipes pkgutil platform plistlib pluggy poplib posix posixpath pprint profile pstats pty pwd py
  py_compile pyclbr pydoc pydoc_data pyexpat pytest pytest_asyncio pytest_cov queue quopri random re readline reprlib
  resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize smtpd smtplib
  sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
  subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time
  timeit token tokenize tomli tomllib trace traceback tracemalloc tty types typing unicodedata unittest urllib
  usercustomize uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdist xdrlib xml xmlrpc zipapp
  zipfile zipimport zlib zoneinfo
`
    .trim()
    .split(/\s+/),
);

/** True if Python, pytest or a usual plugin has a module of this name. */
export function isRunnerModule(name: string): boolean {
  return MODULES.has(name);
}

/** The name of a module or package that a file is, with the folder in which it lies; undefined if it is none. */
export function moduleAt(path: string): { readonly folder: string; readonly name: string } | undefined {
  const bare = path.replace(/\/__init__\.py$|\.py$/, "");
  const name = basename(bare);
  return bare === path || !/^[\p{L}_][\p{L}\w]*$/u.test(name) || name === "__init__"
    ? undefined
    : { folder: repoFolder(bare), name };
}

/** The folder of a path; that of the repository itself is empty. */
export function repoFolder(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}

/** The words of a list in pytest's settings, as an INI file or TOML has it. */
export function listedIn(text: string, key: string): readonly string[] {
  const [, list, lines] =
    new RegExp(
      `^[ \\t]{0,8}["']?${key}["']?[ \\t]{0,8}=[ \\t]{0,8}(?:\\[([^\\]]{0,2000})\\]|([^\\n]{0,1000}(?:\\n[ \\t]{1,40}[^\\n]{1,400}){0,50}))`,
      "m",
    ).exec(text) ?? [];
  return (list ?? lines ?? "").split(/[\s"',]+/).filter((word) => word !== "" && !word.startsWith("#"));
}
