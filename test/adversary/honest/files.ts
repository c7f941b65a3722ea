import { bySmokeTest, type Honest } from "./change.ts";

/** Changes of files that are no lines of text, or are oddly named. */
export const FILES: readonly Honest[] = bySmokeTest([
  {
    id: "binary",
    what: "binary files: a new one, and one that changes",
    base: { "data/old.bin": "\u0000\u0001old" },
    agent: ({ write }) => {
      write(
        "data/new.bin",
        Uint8Array.from({ length: 4096 }, (_, i) => (i * 7) % 256),
      );
      write("data/old.bin", Uint8Array.of(0, 255, 254, 10, 13, 0));
    },
    left: ({ git }) =>
      git("cat-file", "-s", "main:data/new.bin") === "4096" && git("cat-file", "-s", "main:data/old.bin") === "6",
  },
  {
    id: "mode-only",
    what: "a file becomes a program, and nothing else",
    agent: ({ fs }) => fs.chmodSync("bin/sums.sh", 0o755),
    left: ({ mode }) => mode("bin/sums.sh") === "100755",
  },
  {
    id: "new-program",
    what: "a new program",
    agent: ({ fs, write }) => {
      write("bin/hello.sh", "#!/bin/sh\necho hello\n");
      fs.chmodSync("bin/hello.sh", 0o755);
    },
    left: ({ mode }) => mode("bin/hello.sh") === "100755",
  },
  {
    id: "symlinks",
    what: "links within the worktree: to a file, to a folder, and to nothing yet",
    agent: ({ fs }) => {
      fs.symlinkSync("add.mjs", "src/plus.mjs");
      fs.symlinkSync("../src", "test/code");
      fs.symlinkSync("build/out.mjs", "latest.mjs");
    },
    left: ({ mode, file }) =>
      mode("src/plus.mjs") === "120000" && file("test/code") === "../src" && mode("latest.mjs") === "120000",
  },
  {
    id: "file-to-link",
    what: "a file becomes a link, and a link a file",
    base: { "docs/a.md": "a\n" },
    agent: ({ fs, remove, write }) => {
      write("docs/b.md", "b\n");
      remove("docs/a.md");
      fs.symlinkSync("b.md", "docs/a.md");
    },
    left: ({ mode }) => mode("docs/a.md") === "120000",
  },
  {
    id: "file-to-folder",
    what: "a file becomes a folder of the same name",
    base: { "docs/notes": "notes\n" },
    agent: ({ remove, write }) => {
      remove("docs/notes");
      write("docs/notes/one.md", "1\n");
    },
    left: ({ mode }) => mode("docs/notes/one.md") === "100644",
  },
  {
    id: "non-ascii",
    what: "names that are not ASCII, composed and decomposed",
    agent: ({ write }) => {
      for (const name of ["übung.md", "漢字/説明.txt", "emoji 🎉.txt", "de\u0301compose\u0301.txt", "наука.mjs"])
        write(`docs/${name}`, "x\n");
    },
    left: ({ git }) =>
      git("ls-tree", "-rz", "--name-only", "main")
        .split("\0")
        .filter((path) => /[^\x20-\x7e]/.test(path)).length === 5,
  },
  {
    id: "odd-file-names",
    what: "names with blanks, quotes, brackets, dashes and line breaks",
    agent: ({ write }) => {
      for (const name of [
        "a b.md",
        "it's.md",
        'say "x".md',
        "[id].md",
        "-n",
        "--help.md",
        "a\nb.md",
        "tab\t.md",
        "*.md",
        "$HOME.md",
        "back\\slash.md",
      ])
        write(`docs/odd/${name}`, "x\n");
    },
    left: ({ git }) =>
      git("ls-tree", "-rz", "--name-only", "main", "docs/odd/")
        .split("\0")
        .filter((path) => path !== "").length === 11,
  },
  {
    id: "crlf",
    what: "files with CRLF line ends: a new one, and one that is changed",
    base: { "docs/dos.txt": "one\r\ntwo\r\nthree\r\n", "src/dos.mjs": "export const one = 1;\r\nexport const two = 2;\r\n" },
    agent: ({ write, edit }) => {
      write("docs/new-dos.txt", "a\r\nb\r\n");
      edit("src/dos.mjs", "two = 2;\r\n", "two = 2;\r\nexport const three = 3;\r\n");
    },
    left: ({ file }) =>
      file("src/dos.mjs").endsWith("two = 2;\r\nexport const three = 3;") && file("docs/new-dos.txt") === "a\r\nb",
  },
  {
    id: "line-ends",
    what: "CRLF becomes LF, with an attribute that says so",
    base: { "docs/dos.txt": "one\r\ntwo\r\n" },
    ticket: { allow: { attributes: true } },
    agent: ({ write }) => {
      write("docs/dos.txt", "one\ntwo\n");
      write(".gitattributes", "*.txt text eol=lf\n*.bin binary\n");
    },
    left: ({ file }) => file("docs/dos.txt") === "one\ntwo",
  },
  {
    id: "two-megabytes",
    what: "large files: two megabytes of text, of data and of code in one line",
    agent: ({ write }) => {
      write("data/words.txt", "a line of words\n".repeat(131_072));
      write(
        "data/noise.bin",
        Uint8Array.from({ length: 2 * 1024 * 1024 }, (_, i) => (i * 2_654_435_761) >>> 24),
      );
      write("src/table.mjs", `export const table = [${"1234567,".repeat(262_144)}];\n`);
    },
    left: ({ git }) => git("cat-file", "-s", "main:data/noise.bin") === "2097152",
  },
  {
    id: "empty-files",
    what: "empty files",
    agent: ({ write }) => {
      write("data/.gitkeep", "");
      write("src/empty.mjs", "");
    },
    left: ({ git }) => git("cat-file", "-s", "main:data/.gitkeep") === "0",
  },
  {
    id: "emptied",
    what: "a file loses all that it held",
    agent: ({ write }) => write("README.md", ""),
    left: ({ file }) => file("README.md") === "",
  },
  {
    id: "no-last-line-end",
    what: "files without a line end at their end, and one with a byte order mark",
    agent: ({ write, read }) => {
      write("README.md", read("README.md").trimEnd());
      write("docs/bom.txt", "\ufeffhello");
    },
  },
  {
    id: "utf16",
    what: "text in UTF-16",
    agent: ({ write }) => write("docs/wide.txt", new Uint8Array(new Uint16Array([0xfeff, 104, 105, 10]).buffer)),
  },
  {
    id: "deletes",
    what: "files and a folder go",
    base: { "old/a.md": "a\n", "old/deep/b.md": "b\n", "old.txt": "c\n" },
    agent: ({ remove }) => {
      remove("old");
      remove("old.txt");
    },
    left: ({ git }) => git("ls-tree", "-r", "--name-only", "main").includes("old") === false,
  },
  {
    id: "case-rename",
    what: "a name changes by its case alone",
    agent: ({ git }) => git("mv", "README.md", "Readme.md"),
    left: ({ mode }) => mode("Readme.md") === "100644" && mode("README.md") === "",
  },
  {
    id: "many-files",
    what: "three hundred files in deep folders",
    agent: ({ write }) => {
      for (let i = 0; i < 300; i += 1) write(`data/${i % 7}/${i % 11}/a/b/c/d/e/f/${i}.json`, `{"i":${i}}\n`);
    },
    left: ({ git }) => git("ls-tree", "-r", "--name-only", "main", "data/").split("\n").length === 300,
  },
  {
    id: "ignored-too",
    what: "a change that leaves build output and logs behind, which are ignored",
    agent: ({ write, edit }) => {
      write("build/out.mjs", "x\n");
      write("debug.log", "x\n");
      write("node_modules/tiny/index.js", "x\n");
      edit("README.md", "Adds numbers.", "Adds.");
    },
    left: ({ git }) => /build|debug|node_modules/.test(git("ls-tree", "-r", "--name-only", "main")) === false,
  },
]);
