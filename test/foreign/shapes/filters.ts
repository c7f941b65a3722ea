import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { Stage } from "../../e2e/stage.ts";
import type { Area } from "../shape.ts";

const LFS = `git config --global filter.lfs.process "git-lfs filter-process"; git config --global filter.lfs.clean "git-lfs clean -- %f"
git config --global filter.lfs.smudge "git-lfs smudge -- %f"; git config --global filter.lfs.required true`;
const CRYPT =
  "(cd made && git-crypt init && git-crypt export-key ../key) >&2; echo 'secret filter=git-crypt' >made/.gitattributes; echo hush >made/secret";

/** A clone by a person whose git obeys all of their settings. The script fills what is cloned. */
function cloned(stage: Stage, fill: string, then = ":"): undefined {
  const script = `git config --global user.name p; git config --global user.email p@example.org; git init -q -b main made
${fill}
cd made; echo b >b.txt; git add -A; git commit -qm first; cd ..; git clone -q made app
${then}`;
  execFileSync("sh", ["-ec", script], { cwd: stage.root, env: stage.env, stdio: ["ignore", "pipe", "pipe"] });
}

const read = (stage: Stage, name: string): string => readFileSync(stage.path("app", name), "latin1");

function isClean(stage: Stage): void {
  const options = { cwd: stage.path("app"), env: stage.env, encoding: "utf8" } as const;
  expect(execFileSync("git", ["status", "--porcelain"], options)).toBe("");
}

const LARGE = `${LFS}; echo '*.bin filter=lfs -text' >made/.gitattributes; seq 100000 >made/a.bin`;
/** The check sees the content, too. */
const SEES_LARGE = [
  { step: "gates" },
  { step: "check", name: "tests", command: ["sh", "-c", "test $(wc -l <a.bin) -eq 100000 && test -s T-1.txt"] },
  { step: "merge" },
  { step: "assert" },
];

export const area: Area = {
  title: "Filters, line ends and Git LFS",
  shapes: [
    {
      shape: "`core.autocrlf=true` in the user's own settings",
      holds: "works",
      arrange: (stage) => cloned(stage, "git config --global core.autocrlf true"),
      verify: (stage) => {
        expect([read(stage, "b.txt"), read(stage, "T-1.txt")]).toEqual(["b\r\n", "done\r\n"]);
        isClean(stage);
      },
    },
    {
      shape: "Git LFS, and its content is there",
      holds: "works",
      arrange: (stage) => {
        cloned(stage, LARGE);
        const agent = `fs.writeFileSync("b.bin", fs.readFileSync("a.bin", "utf8") + "more\\n"); fs.writeFileSync("T-1.txt", "done\\n");`;
        return { agent, over: { finish: SEES_LARGE } };
      },
      verify: (stage) => {
        expect(read(stage, "b.bin")).toBe(`${read(stage, "a.bin")}more\n`);
        expect(stage.git("app", "cat-file", "blob", "main:b.bin")).toMatch(/^version https:\/\/git-lfs/);
        isClean(stage);
      },
    },
    {
      shape: "Git LFS, and its content was not fetched",
      holds: { refused: "is not in the repository: run git lfs fetch" },
      arrange: (stage) => cloned(stage, LARGE, "rm -rf app/.git/lfs/objects"),
    },
    {
      shape: "a filter that only cleans what is committed (`smudge = cat`, as of nbstripout)",
      holds: "works",
      arrange: (stage) =>
        cloned(
          stage,
          "git config --global filter.strip.clean 'grep -v output'; git config --global filter.strip.smudge cat; echo '*.nb filter=strip' >made/.gitattributes",
          "cd app; printf 'cell\\noutput\\n' >a.nb; git add a.nb; git commit -qm notebook",
        ),
      verify: (stage) => {
        expect(read(stage, "a.nb")).toBe("cell\noutput\n");
        isClean(stage);
      },
    },
    {
      shape: "git-crypt, unlocked",
      holds: { refused: 'secret has the filter "git-crypt", which runs for no agent and no check' },
      arrange: (stage) => cloned(stage, CRYPT, "cd app; git-crypt unlock ../key"),
    },
    {
      shape: "git-crypt, locked",
      holds: "works",
      arrange: (stage) => cloned(stage, CRYPT),
      verify: (stage) => expect(read(stage, "secret")).toMatch(/^\0GITCRYPT\0/),
    },
  ],
};
