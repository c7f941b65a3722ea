import type { Honest } from "../adversary/honest/change.ts";
import type { ForeignSource } from "./foreign-sources.ts";

/** A package that nobody here wrote, with five changes of it, which know nothing of each other. */
export interface HonestPackage {
  readonly source: ForeignSource;
  /**
   * The development dependencies that its test command needs, at the manifest's version unless they name one; absent for a package
   * that npm does not install.
   */
  readonly tools?: readonly string[];
  readonly changes: readonly Pick<Honest, "id" | "what" | "agent">[];
}

const PROCESS_WARNING: HonestPackage = {
  source: {
    name: "process-warning",
    from: { npm: "process-warning@5.1.1" },
    sha: "4d28948634e8d9bda20d268057490ce1d2b63807407974166bee8c11d8d7e04b",
  },
  tools: ["c8", "jest", "tstyche", "typescript@5.9.3"],
  changes: [
    {
      id: "warning-fix",
      what: "a fix, with a test in a file that is there",
      agent: ({ edit, fs }) => {
        edit("index.js", "code = code.toUpperCase()", "code = String(code).toUpperCase()");
        fs.appendFileSync(
          "test/index.test.js",
          `
test('Create warning with a number as code', t => {
  t.plan(1)
  t.assert.deepStrictEqual(createWarning({ name: 'TestWarning', code: 7, message: 'text' }).code, '7')
})
`,
        );
      },
    },
    {
      id: "warning-new-source",
      what: "a new source file with its test",
      agent: ({ write }) => {
        write(
          "lib/is-warning.js",
          `'use strict'

module.exports = function isWarning (value) {
  return typeof value === 'function' && typeof value.emitted === 'boolean'
}
`,
        );
        write(
          "test/is-warning.test.js",
          `'use strict'

const { test } = require('node:test')
const { createWarning } = require('..')
const isWarning = require('../lib/is-warning')

test('isWarning', t => {
  t.plan(2)
  t.assert.ok(isWarning(createWarning({ name: 'TestWarning', code: 'CODE', message: 'text' })))
  t.assert.ok(!isWarning(undefined))
})
`,
        );
      },
    },
    {
      id: "warning-moved-helper",
      what: "a helper of the tests moves to a folder of helpers",
      agent: ({ edit, fs, move, read }) => {
        move("test/promise.js", "test/helpers/promise.js");
        for (const file of fs.readdirSync("test").filter((name) => name.endsWith(".test.js")))
          if (read(`test/${file}`).includes("'./promise'")) edit(`test/${file}`, "'./promise'", "'./helpers/promise'");
      },
    },
    {
      id: "warning-renamed-test",
      what: "a test file gets a name that says what it tests",
      agent: ({ move }) => move("test/issue-88.test.js", "test/config.test.js"),
    },
    {
      id: "warning-split-source",
      what: "a function of the source moves to a file of its own",
      agent: ({ edit, read, write }) => {
        const text = read("index.js");
        const from = text.indexOf("    let formatted\n");
        const body = text.slice(from, text.indexOf("    return formatted\n") + "    return formatted\n".length);
        edit("index.js", body, "    return formatMessage(message, a, b, c)\n");
        edit("index.js", "const { format } = require('node:util')\n", "const formatMessage = require('./lib/format-message')\n");
        const lines = body.replaceAll(/^ {2}/gm, "");
        const head = "'use strict'\n\nconst { format } = require('node:util')\n";
        write("lib/format-message.js", `${head}\nmodule.exports = function formatMessage (message, a, b, c) {\n${lines}}\n`);
      },
    },
  ],
};

const FAST_URI: HonestPackage = {
  source: {
    name: "fast-uri",
    from: { npm: "fast-uri@4.2.4" },
    sha: "09da5831be009707e2459d49e749734dd52ec5dd18c7ddc5839f8e1dcdccdf56",
  },
  tools: ["ajv", "tape"],
  changes: [
    {
      id: "uri-renamed-source",
      what: "a source file gets another name, and its imports with it",
      agent: ({ edit, move }) => {
        move("lib/schemes.js", "lib/scheme-handlers.js");
        edit("index.js", "require('./lib/schemes')", "require('./lib/scheme-handlers')");
      },
    },
    {
      id: "uri-renamed-tested-source",
      what: "a source file that tests import gets another name",
      agent: ({ edit, move, run }) => {
        move("lib/utils.js", "lib/encoding.js");
        for (const file of run("git", "grep", "-l", "/utils'", "--", "*.js", "*.mjs").trim().split("\n"))
          edit(file, "/utils'", "/encoding'");
      },
    },
    {
      id: "uri-development-dependency",
      what: "a new development dependency, with a test that uses it",
      agent: ({ run, write }) => {
        run("npm", "install", "--save-dev", "--ignore-scripts", "uri-js@4.4.1");
        write(
          "test/against-uri-js.test.js",
          `'use strict'

const test = require('tape')
const uriJs = require('uri-js')
const fastUri = require('..')

test('resolves as uri-js does', (t) => {
  for (const relative of ['g', './g', '../g', '?y', '#s']) {
    t.equal(fastUri.resolve('http://a/b/c/d;p?q', relative), uriJs.resolve('http://a/b/c/d;p?q', relative), relative)
  }
  t.end()
})
`,
        );
      },
    },
    {
      id: "uri-generated-fixture",
      what: "a generated fixture is written again, with one case more",
      agent: ({ run }) =>
        run(
          process.execPath,
          "-e",
          `const fs = require("fs"), file = "test/fixtures/uri-js-parse.json", { parse } = require("./");
const cases = JSON.parse(fs.readFileSync(file, "utf8"));
cases.push(["https://example.org/a?b#c", parse("https://example.org/a?b#c")]);
fs.writeFileSync(file, JSON.stringify(cases, null, 2) + "\\n");`,
        ),
    },
    {
      id: "uri-readme",
      what: "the README names an option",
      agent: ({ fs }) => fs.appendFileSync("README.md", "\nAll functions throw a `TypeError` for what is no string or object.\n"),
    },
  ],
};

const BYTES: HonestPackage = {
  source: {
    name: "bytes",
    from: { debian: "pool/main/n/node-bytes/node-bytes_3.1.2.orig.tar.gz" },
    sha: "c95aa9c74e58721ab479c6858b1cdc6ffb887142f00acbf89096392a5d1ae9bb",
  },
  tools: ["mocha"],
  changes: [
    {
      id: "bytes-feature",
      what: "a new unit, with a test, the history and the README",
      agent: ({ edit, fs }) => {
        edit("index.js", "  pb: Math.pow(1024, 5),\n", "  pb: Math.pow(1024, 5),\n  eb: Math.pow(1024, 6),\n");
        edit("index.js", "(kb|mb|gb|tb|pb)$", "(kb|mb|gb|tb|pb|eb)$");
        fs.appendFileSync(
          "test/byte-parse.js",
          "\ndescribe('Exabytes', function(){\n  it('Should parse EB', function(){\n    assert.equal(bytes.parse('2EB'), 2 * Math.pow(1024, 6));\n  });\n});\n",
        );
        fs.writeFileSync(
          "History.md",
          `unreleased\n==========\n\n  * Parse exabytes\n\n${fs.readFileSync("History.md", "utf8")}`,
        );
      },
    },
    {
      id: "bytes-renamed-test",
      what: "a test file gets another name",
      agent: ({ move }) => move("test/byte-format.js", "test/format.js"),
    },
    {
      id: "bytes-edited-test",
      what: "tests compare strictly",
      agent: ({ edit }) => edit("test/bytes.js", "assert.equal(", "assert.strictEqual("),
    },
    {
      id: "bytes-dependency",
      what: "a new dependency, which the source uses",
      agent: ({ edit, run }) => {
        run("npm", "install", "--ignore-scripts", "hasown@2.0.2");
        edit("index.js", "!map[unit.toLowerCase()]", "!hasOwn(map, unit.toLowerCase())");
        edit("index.js", "/**\n * Module variables.\n", "var hasOwn = require('hasown');\n\n/**\n * Module variables.\n");
      },
    },
    {
      id: "bytes-new-test",
      what: "a new test file",
      agent: ({ write }) =>
        write(
          "test/round-trip.js",
          "'use strict';\n\nvar assert = require('assert');\nvar bytes = require('..');\n\ndescribe('Round trip', function(){\n  it('Should parse what it formats', function(){\n    [1, 1024, 1536].forEach(function (n) {\n      assert.strictEqual(bytes.parse(bytes.format(n)), n);\n    });\n  });\n});\n",
        ),
    },
  ],
};

const TOOLZ: HonestPackage = {
  source: {
    name: "toolz",
    from: { debian: "pool/main/t/toolz/toolz_0.12.0.orig.tar.gz" },
    sha: "04d555d7ccb3c84301eaad310dd27ba511ae3dcf331ada5828d7cc03942f2c2e",
  },
  changes: [
    {
      id: "toolz-feature",
      what: "a new function, with a test in a file that is there",
      agent: ({ fs }) => {
        fs.appendFileSync(
          "toolz/itertoolz.py",
          '\n\ndef third(seq):\n    """ The third element in a sequence\n\n    >>> third(\'ABC\')\n    \'C\'\n    """\n    return nth(2, seq)\n',
        );
        fs.appendFileSync(
          "toolz/tests/test_itertoolz.py",
          "\n\ndef test_third():\n    from toolz.itertoolz import third\n    assert third('ABCDE') == 'C'\n",
        );
      },
    },
    {
      id: "toolz-new-source",
      what: "a new module with its test",
      agent: ({ write }) => {
        write(
          "toolz/stats.py",
          'from .itertoolz import frequencies\n\n\ndef mode(seq):\n    """ The most frequent element of a sequence """\n    return max(frequencies(seq).items(), key=lambda pair: pair[1])[0]\n',
        );
        write(
          "toolz/tests/test_stats.py",
          "from toolz.stats import mode\n\n\ndef test_mode():\n    assert mode('abca') == 'a'\n",
        );
      },
    },
    {
      id: "toolz-moved-helper",
      what: "a helper of tests moves to a module that other tests can use",
      agent: ({ edit, write }) => {
        write("toolz/tests/helpers.py", "def iseven(x):\n    return x % 2 == 0\n");
        edit(
          "toolz/tests/test_recipes.py",
          "from toolz import first, identity, countby, partitionby\n\n\ndef iseven(x):\n    return x % 2 == 0\n",
          "from helpers import iseven\nfrom toolz import first, identity, countby, partitionby\n",
        );
      },
    },
    {
      id: "toolz-renamed-test",
      what: "a test file gets a name that says what it tests",
      agent: ({ move }) => move("toolz/tests/test_utils.py", "toolz/tests/test_raises.py"),
    },
    {
      id: "toolz-renamed-source",
      what: "a module gets another name, and its import with it",
      agent: ({ edit, move }) => {
        move("tlz/_build_tlz.py", "tlz/_namespace.py");
        edit("tlz/__init__.py", "import _build_tlz", "import _namespace");
      },
    },
  ],
};

export const PACKAGES: readonly HonestPackage[] = [BYTES, FAST_URI, TOOLZ, PROCESS_WARNING];
