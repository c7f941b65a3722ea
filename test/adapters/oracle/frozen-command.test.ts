import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freezeCommand } from "../../../src/adapters/oracle/frozen-command.ts";
import { createFrozenOracle } from "../../../src/adapters/oracle/frozen-oracle.ts";
import { TicketId } from "../../../src/domain/values/ids.ts";
import type { Oracle, OracleBatch } from "../../../src/ports/oracle.ts";
import { scratchFolder } from "../../helpers/scratch.ts";

const folder = scratchFolder();
const scratch = () => join(folder(), "scratch");
const at = (name: string) => join(folder(), name);
const batch = (): OracleBatch => ({
  version: 1,
  tracker: { kind: "embedded", file: at("tracker.json") },
  tickets: [TicketId.parse("T-1"), TicketId.parse("T-2")],
});

beforeEach(() => mkdirSync(scratch()));
afterEach(() => {
  vi.unstubAllEnvs();
  expect(readdirSync(scratch())).toEqual([]);
});

function program(name: string, text: string): string {
  writeFileSync(at(name), text);
  chmodSync(at(name), 0o755);
  return `./${name}`;
}

async function frozen(command: readonly string[], deadlineMs = 20_000): Promise<Oracle> {
  const bytes = await freezeCommand(command, { folder: folder(), path: `${dirname(process.execPath)}:/usr/bin:/bin` });
  return createFrozenOracle({ kind: "command", bytes, batch: batch(), scratch: scratch(), deadlineMs });
}

const evidence = `echo '{"id":"T-1","state":"done"}'; echo '{"id":"T-2","state":"human-gated","step":"press it"}'; echo '{"verdict":"done","done":1,"gated":1,"open":0}';`;

describe("an oracle of the user's own", () => {
  test.each([
    [0, "done", { done: 2, gated: 0, open: 0 }],
    [1, "not-done", { done: 0, gated: 0, open: 2 }],
    [2, "unjudged", { done: 0, gated: 0, open: 0 }],
    [3, "unjudged", { done: 0, gated: 0, open: 0 }],
    [127, "unjudged", { done: 0, gated: 0, open: 0 }],
  ])("exits %i: %s", async (code, verdict, counts) => {
    const oracle = await frozen([program("mine.sh", `#!/bin/sh\necho looked; echo because >&2; exit ${code}\n`)]);
    expect(await oracle.judge()).toMatchObject({ verdict, counts });
  });

  test("is told the batch as its last argument, after its own", async () => {
    const text = `#!/bin/sh\n[ "$1" = "a b" ] && [ "$2" = "-x" ] && [ $# = 3 ] && grep -q '"tickets":\\["T-1","T-2"\\]' "$3"\n`;
    expect(await (await frozen([program("mine.sh", text), "a b", "-x"])).judge()).toMatchObject({ verdict: "done" });
  });

  test("may give evidence, which then has to bear its exit code out", async () => {
    const say = async (script: string) => (await frozen([program("mine.sh", `#!/bin/sh\n${script}\n`)])).judge();
    expect(await say(evidence)).toMatchObject({ verdict: "done", counts: { done: 1, gated: 1, open: 0 } });
    expect(await say(`${evidence} exit 1`)).toMatchObject({ verdict: "unjudged" });
    expect(await say(evidence.replace('"id":"T-2"', '"id":"T-3"'))).toMatchObject({ verdict: "unjudged" });
  });

  test("with an empty batch is never done", async () => {
    const bytes = await freezeCommand([program("mine.sh", "#!/bin/sh\nexit 0\n")], { folder: folder(), path: "/bin" });
    const empty = createFrozenOracle({ kind: "command", bytes, batch: { ...batch(), tickets: [] }, scratch: scratch() });
    expect(await empty.judge()).toMatchObject({ verdict: "unjudged" });
  });
});

describe("its bytes", () => {
  test("are those of the start: neither the program nor a file among its arguments can be changed", async () => {
    const mine = program("mine.sh", `#!/bin/sh\n. "$1"\nexit $CODE\n`);
    writeFileSync(at("rules.sh"), "CODE=1\n");
    const oracle = await frozen([mine, "rules.sh"]);
    const before = oracle.sha;
    writeFileSync(at("mine.sh"), "#!/bin/sh\nexit 0\n");
    writeFileSync(at("rules.sh"), "CODE=0\n");
    expect(await oracle.judge()).toMatchObject({ verdict: "not-done" });
    expect((await frozen([mine, "rules.sh"])).sha).not.toBe(before);
  });

  test("another file among its arguments is another oracle, and so is another word", async () => {
    const mine = program("mine.sh", "#!/bin/sh\nexit 1\n");
    writeFileSync(at("rules"), "1");
    const sha = (await frozen([mine, "rules", "x"])).sha;
    expect((await frozen([mine, "rules", "x"])).sha).toBe(sha);
    expect((await frozen([mine, "rules", "y"])).sha).not.toBe(sha);
    writeFileSync(at("rules"), "2");
    expect((await frozen([mine, "rules", "x"])).sha).not.toBe(sha);
  });

  test("of a program on PATH stay where they are, and where they change nothing is run", async () => {
    mkdirSync(at("bin"));
    writeFileSync(at("bin/judge"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const bytes = await freezeCommand(["judge"], { folder: folder(), path: `/bin:${at("bin")}` });
    const oracle = createFrozenOracle({ kind: "command", bytes, batch: batch(), scratch: scratch() });
    expect(await oracle.judge()).toMatchObject({ verdict: "not-done" });
    writeFileSync(at("bin/judge"), "#!/bin/sh\nexit 0\n");
    const problem = expect.stringContaining("is not what was frozen") as string;
    expect(await oracle.judge()).toMatchObject({ verdict: "unjudged", problem });
  });

  // What a worker would do in the moment between the look at a file and its start, done while it runs: each of them exits 0.
  test.for([
    ["another program is put in its place", `rm "$0"; printf '#!/bin/sh\\nexit 0\\n' > "$0"; chmod 755 "$0"`],
    ["it is put away for a while", `mv "$0" "$0.away"; mv "$0.away" "$0"`],
    ["it is gone", `rm "$0"`],
    ["another batch is put in the place of the one it is told", `rm -f "$1"; echo '{"version":1,"tickets":[]}' > "$1"`],
  ] as const)("and a judgement during which %s is none", async ([, deed]) => {
    const problem = expect.stringMatching(/was changed while it judged: it is not what was frozen$/) as string;
    const text = `#!/bin/sh\n${deed}\nexit 0\n`;
    expect(await (await frozen([program("mine.sh", text)])).judge()).toMatchObject({ verdict: "unjudged", problem });
    mkdirSync(at("bin"));
    writeFileSync(at("bin/judge"), text, { mode: 0o755 });
    const bytes = await freezeCommand(["judge"], { folder: folder(), path: `/bin:${at("bin")}` });
    const inPlace = createFrozenOracle({ kind: "command", bytes, batch: batch(), scratch: scratch() });
    expect(await inPlace.judge()).toMatchObject({ verdict: "unjudged", problem });
  });

  test("of a link are those of what it leads to", async () => {
    program("real.sh", "#!/bin/sh\nexit 1\n");
    symlinkSync(at("real.sh"), at("link.sh"));
    const oracle = await frozen(["./link.sh"]);
    writeFileSync(at("real.sh"), "#!/bin/sh\nexit 0\n");
    expect(await oracle.judge()).toMatchObject({ verdict: "not-done" });
  });

  test("an interpreter from PATH runs a frozen script", async () => {
    writeFileSync(
      at("oracle.mjs"),
      `import fs from "node:fs"; JSON.parse(fs.readFileSync(process.argv[2])); process.exitCode = 1;`,
    );
    const oracle = await frozen(["node", "oracle.mjs"]);
    writeFileSync(at("oracle.mjs"), "process.exitCode = 0;");
    expect(await oracle.judge()).toMatchObject({ verdict: "not-done" });
  });

  test.each([["./nowhere"], ["nowhere-at-all"]])("a program that is not there is refused: %s", async (word) => {
    await expect(freezeCommand([word], { folder: folder(), path: "/bin" })).rejects.toMatchObject({ exitCode: 4 });
  });
});

describe("its process", () => {
  test("has a scrubbed environment and a fresh private folder, which is gone afterwards", async () => {
    vi.stubEnv("A_TOKEN", "secret");
    const said = at("said");
    const mine = program("mine.sh", `#!/bin/sh\nenv > ${said}; pwd >> ${said}; ls >> ${said}; stat -c %a . >> ${said}; exit 1\n`);
    await (await frozen([mine])).judge();
    const lines = readFileSync(said, "utf8").trim().split("\n");
    expect(lines.filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line))).toEqual([
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "LANG=C.UTF-8",
      expect.stringContaining(`${scratch()}/oracle-`),
      "0-mine.sh",
      "batch.json",
      "700",
    ]);
  });

  test("is bounded in time, with all that it started", async () => {
    const pid = at("pid");
    const mine = program("mine.sh", `#!/bin/sh\nsleep 600 &\necho $! > ${pid}\nwait\n`);
    const judged = await (await frozen([mine], 700)).judge();
    expect(judged).toMatchObject({ verdict: "unjudged", problem: expect.stringContaining("700 ms") as string });
    expect(judged.durationMs).toBeLessThan(10_000);
    await vi.waitFor(() => expect(existsSync(`/proc/${readFileSync(pid, "utf8").trim()}`)).toBe(false), { timeout: 5_000 });
  });

  test("cannot hold its verdict back by what it leaves running", async () => {
    const judged = await (await frozen([program("mine.sh", "#!/bin/sh\nsleep 600 &\nexit 1\n")])).judge();
    expect(judged).toMatchObject({ verdict: "not-done" });
    expect(judged.durationMs).toBeLessThan(10_000);
  });

  test("is bounded in what it says", async () => {
    expect(await (await frozen([program("mine.sh", "#!/bin/sh\nexec yes\n")])).judge()).toMatchObject({ verdict: "unjudged" });
  });
});
