import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Ended, HONEST, PROGRAM, Stage } from "./stage.ts";

const FOLDERS = ["home", "state", "app", "batch", "tmp", "bin", "shared"] as const;
type Folder = (typeof FOLDERS)[number];

/** A stage whose folders all lie in one of any name, and what the program is told of them: their own paths, or links. */
class OddStage extends Stage {
  readonly #name: string;
  readonly #isLinked: boolean;

  constructor(name: string, isLinked: boolean) {
    super(PROGRAM);
    this.#name = name;
    this.#isLinked = isLinked;
    for (const folder of FOLDERS) {
      mkdirSync(this.path(name, folder), { recursive: true });
      mkdirSync(this.path("links"), { recursive: true });
      symlinkSync(this.path(name, folder), this.path("links", folder));
    }
    symlinkSync(realpathSync(process.execPath), this.at("bin", "node"));
  }

  at(folder: Folder, ...rest: string[]): string {
    return this.path(this.#isLinked ? "links" : this.#name, folder, ...rest);
  }

  override get env(): Record<string, string> {
    const { PATH = "" } = super.env;
    const env = { HOME: this.at("home"), TMPDIR: this.at("tmp"), LOOPDASH_HOME: this.at("state") };
    return { ...super.env, ...env, PATH: `${this.at("bin")}:${PATH}` };
  }

  /** A batch of two tickets: T-1 changes a danger zone; T-2 waits in its first attempt for ever. Its paths are those that were told. */
  fill(): string {
    const name = this.#name;
    this.repo(join(name, "app"), {
      "README.md": "# test\n",
      "BOUND.md": "## DANGER ZONES\n- `pay/`: money\n",
      "pay/amount.txt": "1\n",
    });
    this.agent(`if (ticket === "T-1") fs.writeFileSync("pay/amount.txt", "2\\n");
      if (ticket === "T-2" && attempt === 1) { say("READY"); await wait(600_000); } ${HONEST}`);
    this.write(
      join(name, "batch", "check.sh"),
      '#!/bin/sh\nset -e\ntest -f README.md\ntest -f prepared\ntouch "$HOME/x" /tmp/y\ncat "$1"\n',
      0o755,
    );
    for (const folder of ["shared", "batch"]) this.write(join(name, folder, "data.txt"), "data\n");
    // A batch file takes no line break: such a path is written from the batch's folder on.
    const command = this.#isLinked
      ? [this.at("batch", "check.sh"), this.at("shared", "data.txt")]
      : ["{batch}/check.sh", "{batch}/data.txt"];
    const check = { step: "check", name: "tests", command };
    const live = { step: "verify", name: "live", command: ["git", "cat-file", "-e", "main:T-2.txt"] };
    const batch = {
      name: "test",
      repos: {
        app: { path: this.#isLinked ? this.at("app") : "../app", prepare: [["node", "-e", 'fs.writeFileSync("prepared", "")']] },
      },
      agent: { kind: "command", command: ["node", this.path("agent.mjs")] },
      sandboxPolicy: { read: [this.#isLinked ? this.at("shared") : "../shared"] },
      limits: { workers: 2, attempts: 2, heals: 0, minutesPerAttempt: 1, silenceMinutes: 1, outageMinutes: 0.1 },
      live: { repeats: 0 },
      finish: [{ step: "gates" }, check, { step: "merge" }, live],
      tickets: ["T-2", "T-1"].map((id) => ({ id, title: `Do ${id}` })),
    };
    this.write(join(name, "batch", "batch.json"), JSON.stringify(batch));
    this.write(join(name, "app", ".git", "info", "exclude"), "prepared\n");
    return this.at("batch", "batch.json");
  }

  /** The same file by the path that nobody was told. */
  get realBatch(): string {
    return this.path(this.#name, "batch", "batch.json");
  }
}

const ended = ({ code, stdout, stderr }: Ended) => `${code}\n${stdout}\n${stderr}`;

describe("folders of any name, also behind links", { timeout: 300_000 }, () => {
  test.each([
    ["links to all of them, whose names have blanks, quotes and line breaks", `it's "a"\nb`, true],
    ["blanks, quotes and line breaks", `it's "a"\nb`, false],
  ])("%s: a whole batch runs in its sandbox, from start to approval", async (_, name, isLinked) => {
    using stage = new OddStage(name, isLinked);
    const batch = stage.fill();
    for (const args of [
      ["doctor", batch],
      [batch, "--dry-run"],
    ])
      expect(ended(await stage.run(args))).toMatch(/^0\n/);
    const first = stage.start([batch, "--json"]);
    await first.until(/READY/);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await stage.run([stage.realBatch, "--headless"]);
    expect(ended(second)).toMatch(/^0\n[^]*T-2 {2}✔ check tests[^]*✔ DONE, says the oracle[^]*1 shipped, 1 left to a person/);
    const step = (await stage.report()).tickets.find(({ id }) => id === "T-1")?.humanStep ?? "";
    const approve = (step.split("approve it with the commit: loopdash ")[1] ?? "").split(" ");
    expect(ended(await stage.run(approve))).toMatch(/^0\n/);
    expect(ended(await stage.run([batch, "--headless"]))).toMatch(/^0\n[^]*T-1 {2}✔ done/);
    for (const args of [
      ["status"],
      ["report"],
      ["report", "--html"],
      ["verify"],
      ["oracle", batch],
      ["verify-journal"],
      ["runs"],
      ["bound", "show", "--batch", batch],
    ])
      expect(ended(await stage.run(args))).toMatch(/^0\n/);
    expect(stage.git(join(name, "app"), "log", "--format=%s", "main").split("\n")).toHaveLength(3);
    expect(stage.git(join(name, "app"), "status", "--porcelain")).toBe("");
  });

  test("links below the home folder lead to the state", async () => {
    using stage = new OddStage("places", true);
    const batch = stage.fill();
    mkdirSync(stage.path("elsewhere"));
    symlinkSync(stage.path("elsewhere"), stage.at("home", ".local"));
    const env = { LOOPDASH_HOME: "" };
    await stage.start([batch, "--json"], env).until(/READY/);
    expect(existsSync(stage.path("elsewhere", "state", "loopdash", "loopdash.db"))).toBe(true);
  });

  test("/tmp is a link itself", async () => {
    using stage = new OddStage("places", false);
    const batch = stage.fill();
    const moved = (path: string) => path.replace(/^\/tmp\//, "/private/tmp/");
    const tops = readdirSync("/").filter((name) => name !== "tmp" && name !== "private");
    const shown = tops.flatMap((name) =>
      lstatSync(`/${name}`).isSymbolicLink()
        ? ["--symlink", readlinkSync(`/${name}`), `/${name}`]
        : ["--dev-bind", `/${name}`, `/${name}`],
    );
    const by = [
      "bwrap",
      ...shown,
      "--dir",
      "/private",
      "--bind",
      "/tmp",
      "/private/tmp",
      "--symlink",
      "private/tmp",
      "/tmp",
      "--",
    ];
    execFileSync("sed", ["-i", "s:/tmp/loopdash-e2e:/private&:g", stage.realBatch]);
    const env = Object.fromEntries(Object.entries(stage.env).map(([name, value]) => [name, moved(value)]));
    delete env["TMPDIR"];
    const run = stage.start([moved(batch), "--headless"], { ...env, TMPDIR: "" }, stage.program, by);
    await run.until(/T-1 {2}✔ check tests/);
  });

  test("bytes that are no UTF-8 are refused before anything starts, with the folder", async () => {
    using stage = new OddStage("places", true);
    const batch = stage.fill();
    const bytes = Buffer.concat([Buffer.from(`${stage.root}/`), Buffer.from([0x61, 0xff])]);
    mkdirSync(bytes);
    const refused = async (env: Record<string, string>, by: readonly string[], args: readonly string[]) => {
      const { code, stderr } = await stage.start(args, env, stage.program, by).ended;
      expect(stderr).toMatch(/^loopdash: [^\n]+\n {2}why: [^\n]*no UTF-8[^\n]*\n {2}do: {2}[^\n]+\n$/);
      return code;
    };
    const inShell = (line: string) => ["/bin/sh", "-c", `p=$(printf 'a\\377'); ${line}; exec "$@"`, "sh"];
    for (const name of ["HOME", "LOOPDASH_HOME", "TMPDIR", "XDG_STATE_HOME"])
      expect(await refused({}, inShell(`export ${name}="$PWD/$p"`), [batch, "--headless"])).toBe(4);
    expect(await refused({}, inShell('cd "$p"'), [batch, "--headless"])).toBe(4);
    expect(await refused({}, inShell('set -- "$@" "$p/batch.json"'), ["oracle"])).toBe(4);
    // Names that can be read lead to them by links.
    const to = (name: string) => Buffer.concat([bytes, Buffer.from(`/${name}`)]);
    for (const name of ["app", "batch"] as const) {
      renameSync(stage.path("places", name), to(name));
      rmSync(stage.at(name));
      symlinkSync(to(name), stage.at(name));
    }
    expect(await refused({}, [], [batch, "--headless"])).toBe(4);
    execFileSync("/bin/sh", ["-c", `cp -a "$(printf 'a\\377')/batch" places/batch`], { cwd: stage.root });
    expect(await refused({}, [], [stage.realBatch, "--headless"])).toBe(4);
    expect(existsSync(stage.path("places", "state", "runs"))).toBe(false);
  });
});
