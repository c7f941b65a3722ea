/**
 * Modules that pytest and the tests load before any module of the repository: those of Python (sys.stdlib_module_names of 3.11)
 * and of pytest with its usual plugins. A file with such a name in the folder that Python searches first is loaded instead of
 * them.
 */
const MODULES: ReadonlySet<string> = new Set(
  `
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

/** True if a new file replaces such a module: one in the root or in one of these folders. */
export function shadowsPythonModule(path: string, folders: ReadonlySet<string>): boolean {
  for (const folder of ["", ...folders]) {
    const rest = folder === "" ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
    const module = /^([A-Za-z_]\w*)(?:\.py|\/__init__\.py)$/.exec(rest ?? "")?.[1];
    if (module !== undefined && MODULES.has(module)) return true;
  }
  return false;
}
