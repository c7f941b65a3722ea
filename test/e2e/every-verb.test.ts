import { spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { record } from "../helpers/recorded-run.ts";
import { plumbingEnded } from "../store/scenes.ts";
import { type Ended, HONEST, PROGRAM, Stage } from "./stage.ts";

const RESET = "git reset --hard";
const PAYLOAD = JSON.stringify({
  session_id: "s",
  cwd: "/",
  tool_use_id: "t",
  tool_name: "Bash",
  tool_input: { command: RESET },
});

let stage: Stage;
beforeAll(() => {
  stage = new Stage(PROGRAM);
  stage.repo("app", { "README.md": "# test\n", "BOUND.md": "## DANGER ZONES\n- `pay/`: money\n" });
  stage.agent(HONEST);
  stage.batch(["T-1"]);
  stage.write("ticket.json", JSON.stringify({ id: "T-9", title: "More" }));
  record(stage.home, plumbingEnded("done", {}), { run: "over-1" });
  for (const folder of ["home/runs/over-1", "tmp"]) mkdirSync(stage.path(folder), { recursive: true });
  cpSync(stage.home, stage.path("kept"), { recursive: true });
});
afterAll(() => stage[Symbol.dispose]());

/** Every verb, in a form that changes as little as it can; `{}` is the folder of the stage. */
const VERBS: readonly string[] = [
  ...[
    "{}/batch.json --headless",
    "{}/batch.json --json",
    "run {}/batch.json --dry-run",
    "{}/batch.json --detach",
    "init --repo {}/app",
  ],
  ...[
    "ci main --repo {}/app",
    "attach over-1",
    "replay over-1",
    "oracle {}/batch.json",
    "status",
    "status --json",
    "verify over-1",
  ],
  ...[
    "revert over-1 T-1",
    "runs",
    "watch --once",
    "cache",
    "add over-1 {}/ticket.json",
    "report",
    "report --html",
    "report --bundle {}/tmp --force",
    "verify-journal over-1",
  ],
  ...["doctor {}/batch.json", "harness log", "tracker check -- false", "guard status", "guard install --agent claude --dry-run"],
  ...[
    "bound show --repo {}/app",
    "bound check main --repo {}/app",
    "bound suggest --repo {}/app",
    "bound approve over-1",
    "lint {}/app",
    "improve {}/goal.md --status",
  ],
  ...["completion bash", "help", "help run", "--version", "guard check -- ls", "complete -- loopdash"],
];

const IN_SHELL = (script: string) => ["/bin/sh", "-c", `${script}\nexec "$@"`, "sh"];
const MOUNTED = (script: string) => ["unshare", "--user", "--map-root-user", "--mount", ...IN_SHELL(script)];
/** A small disk with the kept state, or none, that has no byte left. */
const FULL = (at: string) =>
  MOUNTED(`mount -t tmpfs -o size=8m tmpfs "$${at}" && { [ ${at} = TMPDIR ] || cp -a kept/. "$${at}"; }
dd if=/dev/zero of="$${at}/filler" bs=4k 2>/dev/null; dd if=/dev/zero of="$${at}/filler2" bs=1 2>/dev/null`);

/** What a machine may be like, as what starts the program there. The folder of the stage is the first working folder. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  "a deleted working folder": IN_SHELL('gone=$(mktemp -d) && cd "$gone" && rmdir "$gone"'),
  "no HOME": ["env", "-u", "HOME"],
  "no HOME and no entry in the password file": [
    "unshare",
    "--user",
    "--map-user=54321",
    "--map-group=54321",
    "env",
    "-u",
    "HOME",
  ],
  "a full disk under the state": FULL("LOOPDASH_HOME"),
  "a full temporary folder": FULL("TMPDIR"),
  "no temporary folder": ["env", "TMPDIR=/nowhere/at/all"],
  "a state folder that is read-only": MOUNTED('mount --bind kept "$LOOPDASH_HOME" && mount -o remount,ro,bind "$LOOPDASH_HOME"'),
  "a closed standard output": ["/bin/sh", "-c", 'exec "$@" >&-', "sh"],
  "a standard output without a reader": [
    "/bin/sh",
    "-c",
    'p=$(mktemp -u) && mkfifo "$p" && exec 3<>"$p" 4>"$p" 3>&- && exec "$@" >&4 4>&-',
    "sh",
  ],
  "a closed standard error": ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh"],
};

async function run(by: readonly string[], args: readonly string[], input = ""): Promise<Ended> {
  const [command = "", ...rest] = [...by, process.execPath, stage.program, ...args];
  const env = { TMPDIR: stage.path("tmp"), ...stage.env, GIT_CONFIG_NOSYSTEM: "1" };
  const child = spawn(command, rest, { cwd: stage.root, env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined).end(input);
  const closed = new Promise<[number | null, string | null]>((settle) => child.once("close", (...end) => settle(end)));
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, signal, stdout, stderr };
}

/** What is wrong with how a verb ended: nothing if it did its work, or said one line each of what, why and what to do. */
function unclear({ code, signal, stdout, stderr }: Ended, isUnseen: boolean): string | undefined {
  const all = `${code ?? signal}\n${stdout}\n${stderr}`;
  if (/\n\s+at .+:\d+|defect (?:of|in) loopdash|Warning:|\(node:|undefined|TypeError/.test(all)) return all;
  if (code === null || ![0, 1, 2, 3, 4].includes(code)) return all;
  const isTold = /^(?:.*\n)*?loopdash: .+\n(?: {2}why: .+\n(?: {7}.+\n)*)? {2}do: {2}.+\n/.test(stderr);
  // The verdict of a check or a run is its exit code, whoever reads its words.
  return code === 0 || isTold || stdout !== "" || (isUnseen && stderr === "") ? undefined : all;
}

describe("every verb runs, or says what, why and what to do", { timeout: 500_000 }, () => {
  test.each(Object.entries(FAULTS))("with %s", async (fault, by) => {
    const isDeaf = fault === "a closed standard error";
    const isUnseen = fault.includes("standard");
    const bad: string[] = [];
    const left = [...VERBS];
    const work = async (): Promise<void> => {
      for (let verb = left.shift(); verb !== undefined; verb = left.shift()) {
        const ended = await run(by, verb.replaceAll("{}", stage.root).split(" "));
        const problem = unclear(ended, isUnseen);
        if (problem !== undefined) bad.push(`${verb}\n${problem}`);
      }
    };
    await Promise.all([work(), work(), work()]);
    const [line, hook] = [
      await run(by, ["guard", "check", "--", RESET]),
      await run(by, ["hook", "before-tool", "--agent", "claude"], PAYLOAD),
    ];
    for (const [verb, { code, stderr }] of [
      ["guard check", line],
      ["hook", hook],
    ] as const)
      if (code !== 2 || (!isDeaf && !/^loopdash: the guard [^]*\n {2}do: /.test(stderr))) bad.push(`${verb} ${code}\n${stderr}`);
    expect(bad.join("\n=====\n")).toBe("");
  });
});
