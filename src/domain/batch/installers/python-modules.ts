/**
 * Modules that Python, venv and pip load by name: the standard library of Python 3.8 to 3.14 without its demonstrations and tests,
 * and what pip loads besides, some of which Debian ships apart from it.
 */
const MODULES = new Set(
  `abc aifc annotationlib argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2
  cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser
  contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest
  dummy_threading email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools
  gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io
  ipaddress itertools json keyword lib2to3 linecache locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap
  modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev
  parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
  py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select
  selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse
  ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib
  tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty types typing
  unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile
  zipimport zlib zoneinfo
  appdirs brotli brotlicffi cachecontrol certifi cffi chardet charset_normalizer colorama contextlib2 cryptography dependency_groups
  distlib distro html5lib idna importlib_metadata importlib_resources ipywidgets IPython jnius keyring lockfile msgpack OpenSSL
  ordereddict packaging pep517 pip pkg_resources platformdirs progress pygments pyparsing pyproject_hooks redis requests
  requests_toolbelt resolvelib retrying rich setuptools simplejson sitecustomize six socks tenacity toml tomli tomli_w truststore
  typing_extensions urllib3 usercustomize webencodings wheel zstandard`.split(/\s+/),
);

/** The module of this commit that Python would load in place of one of its own, if it looks into the checkout first. */
export function shadowingModule(files: readonly { readonly path: string; readonly kind: "file" | "link" }[]): string | undefined {
  return files.find(({ kind, path }) => {
    const name = topLevelModule(path, kind);
    return name !== undefined && (name.startsWith("_") || MODULES.has(name));
  })?.path;
}

/** The top-level module that this file makes. A folder without a file for its beginning comes after all others (PEP 420). */
function topLevelModule(path: string, kind: "file" | "link"): string | undefined {
  const [top = "", inside, ...deeper] = path.split("/");
  if (inside === undefined) return kind === "link" || /\.(?:py|pyc|so|pyd)$/.test(top) ? top.replace(/\..*/s, "") : undefined;
  return deeper.length === 0 && /^__init__\./.test(inside) ? top : undefined;
}
