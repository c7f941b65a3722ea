import type { Honest } from "./change.ts";

const LOCK = `${JSON.stringify(
  {
    name: "sums",
    version: "1.0.0",
    lockfileVersion: 3,
    packages: {
      "": { name: "sums", version: "1.0.0", dependencies: { tiny: "1.0.0" } },
      "node_modules/tiny": { version: "1.0.0" },
    },
  },
  undefined,
  2,
)}\n`;

const COVERED = `${JSON.stringify({ name: "sums", type: "module", c8: { "check-coverage": true, lines: 80, branches: 70 } }, undefined, 2)}\n`;

/** Changes of code, of what it depends on and of what is written about it. */
export const CODE: readonly Honest[] = [
  {
    id: "rename-function",
    what: "a function gets another name, in three files, a test among them",
    ticket: { allow: { judge: ["test/add.test.mjs"] } },
    agent: ({ edit }) => {
      edit("src/add.mjs", "export const add ", "export const plus ");
      edit("src/text.mjs", "{ add }", "{ plus }");
      edit("src/text.mjs", "add(a, b)", "plus(a, b)");
      edit("test/add.test.mjs", "{ add, subtract }", "{ plus as add, subtract }");
    },
    left: ({ file }) => file("src/text.mjs").includes("plus(a, b)"),
  },
  {
    id: "extract-module",
    what: "a function moves to a module of its own",
    agent: ({ write, edit }) => {
      write("src/loud.mjs", "/** A text in capitals. */\nexport const loud = (text) => text.toUpperCase();\n");
      edit("src/text.mjs", "\n/** A text in capitals. */\nexport function loud(text) {\n  return text.toUpperCase();\n}\n", "");
      edit(
        "src/text.mjs",
        'import { add } from "./add.mjs";',
        'import { add } from "./add.mjs";\nexport { loud } from "./loud.mjs";',
      );
    },
  },
  {
    id: "move-source",
    what: "a file moves to another folder, and its tests keep their import",
    agent: ({ move, edit, write }) => {
      move("src/text.mjs", "src/lib/text.mjs");
      edit("src/lib/text.mjs", "./add.mjs", "../add.mjs");
      write("src/text.mjs", 'export { loud, say } from "./lib/text.mjs";\n');
    },
  },
  {
    id: "move-source-and-imports",
    what: "a file moves to another folder, and its tests import it from there",
    ticket: { allow: { judge: ["test/add.test.mjs"] } },
    agent: ({ move, edit }) => {
      move("src/add.mjs", "src/numbers/add.mjs");
      edit("src/text.mjs", "./add.mjs", "./numbers/add.mjs");
      edit("test/add.test.mjs", "../src/add.mjs", "../src/numbers/add.mjs");
    },
  },
  {
    id: "reindent",
    what: "every file is indented otherwise",
    agent: ({ fs, path, read, write }) => {
      for (const folder of ["src", "test"]) {
        for (const name of fs.readdirSync(folder)) {
          const file = path.join(folder, name);
          write(file, read(file).replace(/^ {2}/gm, "\t"));
        }
      }
    },
  },
  {
    id: "rewrite",
    what: "a function does the same in another way",
    agent: ({ edit }) => edit("src/add.mjs", "(a, b) => a + b", "(...each) => each.reduce((sum, one) => sum + one, 0)"),
  },
  {
    id: "dead-code",
    what: "code that nobody calls goes",
    base: { "src/old.mjs": "export const old = () => 1;\n", "src/older.mjs": 'export { old } from "./old.mjs";\n' },
    agent: ({ remove }) => {
      remove("src/old.mjs");
      remove("src/older.mjs");
    },
    left: ({ git }) => git("ls-tree", "-r", "--name-only", "main").split("\n").includes("src/old.mjs") === false,
  },
  {
    id: "typescript",
    what: "a file is rewritten in TypeScript, and its tests import that",
    ticket: { allow: { judge: ["test/add.test.mjs"] } },
    agent: ({ remove, write, edit }) => {
      remove("src/add.mjs");
      write(
        "src/add.ts",
        "export const add = (a: number, b: number): number => a + b;\nexport const subtract = (a: number, b: number): number => a - b;\n",
      );
      edit("src/text.mjs", "./add.mjs", "./add.ts");
      edit("test/add.test.mjs", "../src/add.mjs", "../src/add.ts");
    },
  },
  {
    id: "docs-only",
    what: "nothing but documents",
    agent: ({ write, edit }) => {
      write("docs/guide.md", "# Guide\n\nRun `npm test`.\n");
      edit("README.md", "Adds numbers.", "Adds numbers, and takes them away.");
    },
  },
  {
    id: "comments-only",
    what: "nothing but comments",
    agent: ({ edit }) =>
      edit("src/add.mjs", "/** The sum of two numbers. */", "/** The sum of two numbers, which may be negative. */"),
  },
  {
    id: "dependency",
    what: "a dependency becomes newer, in package.json and in the lock file",
    base: {
      "package.json": '{"name":"sums","version":"1.0.0","type":"module","dependencies":{"tiny":"1.0.0"}}\n',
      "package-lock.json": LOCK,
    },
    agent: ({ edit }) => {
      edit("package.json", '"tiny":"1.0.0"', '"tiny":"1.2.0"');
      edit("package-lock.json", '"tiny": "1.0.0"', '"tiny": "1.2.0"');
      edit(
        "package-lock.json",
        '"node_modules/tiny": {\n      "version": "1.0.0"',
        '"node_modules/tiny": {\n      "version": "1.2.0"',
      );
    },
  },
  {
    id: "new-scripts",
    what: "package.json gets scripts, and a newer engine",
    agent: ({ edit }) =>
      edit("package.json", '"test": "node --test"', '"test": "node --test",\n    "lint": "biome check --write"'),
  },
  {
    id: "coverage-raised",
    what: "more is demanded of coverage",
    base: { "package.json": COVERED },
    agent: ({ edit }) => edit("package.json", '"lines": 80', '"lines": 95'),
  },
  {
    id: "coverage-moved",
    what: "the demands on coverage move to a file of their own",
    base: { "package.json": COVERED },
    agent: ({ write }) => {
      write("package.json", '{ "name": "sums", "type": "module" }\n');
      write(".c8rc.json", '{ "check-coverage": true, "lines": 80, "branches": 70 }\n');
    },
  },
  {
    id: "settings",
    what: "settings of an editor, a formatter and a container",
    agent: ({ write }) => {
      write(".editorconfig", "root = true\n\n[*]\nend_of_line = lf\n");
      write(".prettierrc.json", '{ "printWidth": 100 }\n');
      write("Dockerfile", "FROM scratch\nCOPY . /app\n");
      write(".github-notes.md", "Nothing that is protected.\n");
    },
  },
  {
    id: "many-languages",
    what: "code of other languages, in which words mean other things",
    agent: ({ write }) => {
      write(
        "tools/read.go",
        'package tools\n\n// Skip the header, ignore what follows.\nfunc read(r Reader) { r.Skip(3); r.Only("x") }\n',
      );
      write(
        "tools/lib.rs",
        "// allow(this) and ignore that\npub fn skip(n: usize) -> usize { n }\n#[derive(Debug)]\npub struct Only;\n",
      );
      write("tools/report.py", "# Rows that we ignore; a type: the ignored one\ndef skip(rows, n=1):\n    return rows[n:]\n");
      write(
        "tools/Read.java",
        "/** Disabled while it rains. */\nclass Read { @Override public void skip(int n) { reader.ignore(n); } }\n",
      );
      write("tools/run.sh", "#!/bin/sh\n# ignore SIGPIPE; skip what is there\nskip_list=a\necho skip\n");
    },
  },
];
