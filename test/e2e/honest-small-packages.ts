import type { HonestPackage } from "./honest-packages.ts";

const FRACTION: HonestPackage = {
  source: {
    name: "fraction.js",
    from: { npm: "fraction.js@5.3.4" },
    sha: "27e23d8e5ad285541e13e4befc51d39739354abe1f71a348de08a1c88a54a124",
  },
  tools: ["mocha"],
  changes: [
    {
      id: "fraction-generated",
      what: "a new method, in the files that are generated from the source too, with its test",
      agent: ({ edit, fs }) => {
        for (const file of ["src/fraction.js", "dist/fraction.js", "dist/fraction.mjs"])
          edit(
            file,
            '  "clone": function () {',
            '  "isZero": function () {\n    return this["n"] === C_ZERO;\n  },\n\n  "clone": function () {',
          );
        fs.appendFileSync(
          "tests/fraction.test.js",
          `
describe('Fraction isZero', function () {
  it("Should be true for 0 alone", function () {
    assert.equal(new Fraction(0).isZero(), true);
    assert.equal(new Fraction("1/3").isZero(), false);
  });
});
`,
        );
      },
    },
    {
      id: "fraction-new-test",
      what: "a new test file",
      agent: ({ write }) =>
        write(
          "tests/order.test.js",
          `const Fraction = require('fraction.js');
const assert = require('assert');

describe('Order', function () {
  it("Should sort by compare", function () {
    const sorted = ["1/2", "1/3", "0.4"].map(each => new Fraction(each)).sort((a, b) => a.compare(b));
    assert.equal(sorted.map(each => each.toFraction()).join(' '), "1/3 2/5 1/2");
  });
});
`,
        ),
    },
    {
      id: "fraction-renamed-tests",
      what: "tests get the names of what they test",
      agent: ({ edit }) =>
        edit(
          "tests/fraction.test.js",
          "Should pass 1768/99\", function () {\n\n    var tmp = new Fraction('7/8')",
          "Should pass 7/8\", function () {\n\n    var tmp = new Fraction('7/8')",
        ),
    },
    {
      id: "fraction-release",
      what: "a release: the version in the manifest and its lockfile, and the change log",
      agent: ({ fs, run }) => {
        run("npm", "version", "5.3.5", "--no-git-tag-version");
        fs.writeFileSync("CHANGELOG.md", `# v5.3.5\n\n- Documentation\n\n${fs.readFileSync("CHANGELOG.md", "utf8")}`);
      },
    },
    {
      id: "fraction-example",
      what: "a new example, which the README names",
      agent: ({ fs, write }) => {
        write(
          "examples/golden.js",
          "const Fraction = require('fraction.js');\n\nconsole.log(new Fraction((1 + Math.sqrt(5)) / 2).simplify(1e-4).toFraction());\n",
        );
        fs.appendFileSync("README.md", "\nSee `examples/golden.js` for the golden ratio.\n");
      },
    },
  ],
};

const PARSEURL: HonestPackage = {
  source: {
    name: "parseurl",
    from: { debian: "pool/main/n/node-parseurl/node-parseurl_1.3.3.orig.tar.gz" },
    sha: "67133ecf9402c4ee66f52ab1a0255aba0b377c136f3653e9e61362f2bcf68216",
  },
  tools: ["mocha"],
  changes: [
    {
      id: "parseurl-fix",
      what: "a fix, with a test among those that are there",
      agent: ({ edit }) => {
        edit("index.js", "      case 0x0c: /* \\f */\n", "      case 0x0b: /* \\v */\n      case 0x0c: /* \\f */\n");
        edit(
          "test/test.js",
          "  it('should parse a full URL', function () {\n    var req = createReq('http://localhost:8888/foo/bar')\n    var url = parseurl(req)\n",
          `  it('should parse a vertical tab as url does', function () {
    assert.strictEqual(parseurl(createReq('/foo\\x0bbar')).pathname, url.parse('/foo\\x0bbar').pathname)
  })

  it('should parse a full URL', function () {
    var req = createReq('http://localhost:8888/foo/bar')
    var url = parseurl(req)
`,
        );
      },
    },
    {
      id: "parseurl-split-source",
      what: "a function of the source moves to a file of its own",
      agent: ({ edit, read, write }) => {
        const text = read("index.js");
        const fresh = text.slice(text.indexOf("function fresh"));
        edit("index.js", text.slice(text.indexOf("\n/**\n * Determine if parsed is still fresh")), "");
        edit("index.js", "var parse = url.parse\n", "var fresh = require('./lib/fresh')\nvar parse = url.parse\n");
        write("lib/fresh.js", `'use strict'\n\nvar Url = require('url').Url\n\nmodule.exports = fresh\n\n${fresh}`);
      },
    },
    {
      id: "parseurl-moved-helper",
      what: "a helper of the tests moves to a file of its own",
      agent: ({ edit, read, write }) => {
        const text = read("test/test.js");
        const helper = text.slice(text.indexOf("function createReq"));
        edit("test/test.js", `\n${helper}`, "");
        edit(
          "test/test.js",
          "var parseurl = require('..')\n",
          "var createReq = require('./support/request')\nvar parseurl = require('..')\n",
        );
        write("test/support/request.js", `module.exports = createReq\n\n${helper}`);
      },
    },
    {
      id: "parseurl-renamed-test",
      what: "a misspelled name of a test",
      agent: ({ edit }) => edit("test/test.js", "should parse the requrst URL", "should parse the request URL"),
    },
    {
      id: "parseurl-types",
      what: "types, which the manifest names",
      agent: ({ edit, write }) => {
        write(
          "index.d.ts",
          "import { IncomingMessage } from 'http';\nimport { Url } from 'url';\n\ndeclare function parseurl(req: IncomingMessage): Url | undefined;\nexport = parseurl;\n",
        );
        edit("package.json", '    "index.js"\n  ],', '    "index.js",\n    "index.d.ts"\n  ],\n  "types": "index.d.ts",');
      },
    },
  ],
};

const REUSIFY: HonestPackage = {
  source: {
    name: "reusify",
    from: { npm: "reusify@1.1.0" },
    sha: "2460004412100eea8e96b98f14d3dfb4e22a6628654e5431d14f974c6201ca18",
  },
  tools: ["tape"],
  changes: [
    {
      id: "reusify-feature",
      what: "a new function with its test and its types",
      agent: ({ edit, fs }) => {
        edit(
          "reusify.js",
          "  return {\n    get: get,",
          "  function isEmpty () {\n    return head === tail\n  }\n\n  return {\n    isEmpty: isEmpty,\n    get: get,",
        );
        edit("reusify.d.ts", "\tget(): T;", "\tisEmpty(): boolean;\n\tget(): T;");
        fs.appendFileSync(
          "test.js",
          "\ntest('is empty until an object is released', function (t) {\n  var instance = reusify(function () { this.next = null })\n  t.equal(instance.isEmpty(), true)\n  instance.release(instance.get())\n  t.end()\n})\n",
        );
      },
    },
    {
      id: "reusify-newer-tool",
      what: "a development dependency in a newer version",
      agent: ({ run }) => run("npm", "install", "--save-dev", "--ignore-scripts", "tape@5.9.0"),
    },
    {
      id: "reusify-edited-test",
      what: "a test compares strictly",
      agent: ({ edit }) => edit("test.js", "  t.equal(obj4, obj)\n", "  t.strictEqual(obj4, obj)\n"),
    },
    {
      id: "reusify-new-benchmark",
      what: "a new benchmark",
      agent: ({ write }) =>
        write(
          "benchmarks/many.js",
          "'use strict'\n\nvar pool = require('../')(function () { this.next = null })\n\nconsole.time('many')\nfor (var i = 0; i < 1e6; i++) pool.release(pool.get())\nconsole.timeEnd('many')\n",
        ),
    },
    {
      id: "reusify-editor-settings",
      what: "settings of editors, and a rule for git",
      agent: ({ fs, write }) => {
        write(".editorconfig", "root = true\n\n[*]\nindent_style = space\n");
        fs.appendFileSync(".gitignore", "*.log\n");
      },
    },
  ],
};

const DAMERAU: HonestPackage = {
  source: {
    name: "damerau-levenshtein",
    from: { npm: "damerau-levenshtein@1.0.8" },
    sha: "a23cfcb0fcac3cab70443595dc31266a6e20efbdc63857cab53c985d95075688",
  },
  tools: ["mocha"],
  changes: [
    {
      id: "damerau-new-source",
      what: "a new source file with its test",
      agent: ({ write }) => {
        write(
          "closest.js",
          "var distance = require('./index');\n\nmodule.exports = function (word, words) {\n  return words.slice().sort(function (a, b) { return distance(word, a).steps - distance(word, b).steps; })[0];\n};\n",
        );
        write(
          "test/closest.js",
          "var assert = require('assert');\nvar closest = require('../closest');\n\ndescribe('closest', function () {\n  it('returns the word with the fewest steps', function () {\n    assert.equal(closest('test', ['best', 'rust']), 'best');\n  });\n});\n",
        );
      },
    },
    {
      id: "damerau-moved-helper",
      what: "a function of the source moves to a file of its own",
      agent: ({ edit, read, write }) => {
        const text = read("index.js");
        const own = text.slice(text.indexOf("/**\n *\n */\n"), text.lastIndexOf("\n};"));
        edit("index.js", own, "");
        edit("index.js", "// TheSpanishInquisition\n", "// TheSpanishInquisition\n\nvar result = require('./lib/result');\n");
        for (const steps of ["limit || 100", "thatLength", "thisLength", "matrix[thisLength][thatLength]"])
          if (read("index.js").includes(`prepare (${steps})`))
            edit("index.js", `prepare (${steps})`, `result(${steps}, thisLength, thatLength)`);
        const lines = own
          .replace("/**\n *\n */\n  function prepare(steps)", "module.exports = function (steps, thisLength, thatLength)")
          .replaceAll(/^ {2}/gm, "");
        write("lib/result.js", `${lines.trimEnd()};\n`);
      },
    },
    {
      id: "damerau-renamed-test",
      what: "the test file gets the name of what it tests",
      agent: ({ move }) => move("test/test.js", "test/distance.js"),
    },
    {
      id: "damerau-edited-test",
      what: "a misspelled name in tests",
      agent: ({ edit }) => edit("test/test.js", "levenshtien", "levenshtein"),
    },
    {
      id: "damerau-dependency",
      what: "a new dependency, which a new source file uses, with its test",
      agent: ({ run, write }) => {
        run("npm", "install", "--ignore-scripts", "escape-string-regexp@4.0.0");
        write(
          "pattern.js",
          "var escape = require('escape-string-regexp');\n\nmodule.exports = function (words) {\n  return new RegExp('^(?:' + words.map(function (word) { return escape(word); }).join('|') + ')$');\n};\n",
        );
        write(
          "test/pattern.js",
          "var assert = require('assert');\nvar pattern = require('../pattern');\n\ndescribe('pattern', function () {\n  it('matches the words alone', function () {\n    assert.ok(pattern(['a.b', 'c']).test('a.b'));\n    assert.ok(!pattern(['a.b', 'c']).test('axb'));\n  });\n});\n",
        );
      },
    },
  ],
};

export const SMALL_PACKAGES: readonly HonestPackage[] = [FRACTION, PARSEURL, REUSIFY, DAMERAU];
