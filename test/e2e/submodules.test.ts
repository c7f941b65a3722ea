import { existsSync, readFileSync, rmSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { Stage } from "./stage.ts";

const FINISH = [
  { step: "gates" },
  {
    step: "check",
    name: "tests",
    command: ["sh", "-c", "grep -q $(cat want) lib/a.txt && grep -q deep lib/deep/d.txt && test -x lib/run"],
  },
  { step: "merge" },
  { step: "verify", name: "live", command: ["sh", "-c", "grep -q $(cat want) lib/a.txt"] },
  { step: "assert" },
];

/** `app` with the submodule `lib`, which has the submodule `deep`: cloned recursively, its origins gone. `newer` is a later commit of it. */
function nested(stage: Stage): { readonly newer: string; readonly older: string } {
  const allow = ["-c", "protocol.file.allow=always"];
  stage.repo("deep", { "d.txt": "deep\n" });
  stage.repo("lib", { "a.txt": "one\n" });
  stage.write("lib/run", "#!/bin/sh\n", 0o755);
  stage.git("lib", ...allow, "submodule", "add", "-q", stage.path("deep"), "deep");
  stage.git("lib", "add", "-A");
  stage.git("lib", "commit", "-qm", "deep");
  stage.repo("origin", { want: "one\n" });
  stage.git("origin", ...allow, "submodule", "add", "-q", stage.path("lib"), "lib");
  stage.git("origin", "commit", "-qm", "lib");
  const older = stage.git("lib", "rev-parse", "HEAD");
  stage.write("lib/a.txt", "two\n");
  stage.git("lib", "commit", "-qam", "newer");
  stage.git(".", ...allow, "clone", "-q", "--recurse-submodules", stage.path("origin"), stage.path("app"));
  for (const gone of ["deep", "lib", "origin"]) rmSync(stage.path(gone), { recursive: true });
  return { older, newer: stage.git("app/lib", "rev-parse", "origin/main") };
}

const sandboxes = ["required", "off"];

describe("submodules", { timeout: 300_000 }, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
    return () => stage[Symbol.dispose]();
  });

  const batch = (sandbox: string, over: object = {}): string =>
    stage.batch(["T-1"], { sandbox, finish: FINISH, limits: { attempts: 1 }, ...over });

  test.for(sandboxes)("agents and checks have their files, nested ones too, without any remote; sandbox %s", async (sandbox) => {
    nested(stage);
    stage.agent(`
      const found = fs.readFileSync("lib/a.txt", "utf8") + fs.readFileSync("lib/deep/d.txt", "utf8") + sh("git", "status", "--porcelain");
      fs.writeFileSync("seen.txt", found); sh("git", "add", "-A");`);
    const { code, stdout } = await stage.run([batch(sandbox), "--headless"]);
    expect(code, stdout).toBe(0);
    expect(stage.git("app", "show", "main:seen.txt")).toBe("one\ndeep");
    expect(stage.git("app", "status", "--porcelain")).toBe("");
  });

  test.for(sandboxes)(
    "a moved one is shown, lands after a person's approval, and the checkout follows; sandbox %s",
    async (sandbox) => {
      const { older, newer } = nested(stage);
      stage.agent(
        `fs.writeFileSync("want", "two\\n"); sh("git", "update-index", "--cacheinfo", "160000,${newer},lib"); sh("git", "-c", "user.name=a", "-c", "user.email=a@a", "commit", "-qam", "move");`,
      );
      const words = `submodule lib: ${older.slice(0, 7)} → ${newer.slice(0, 7)}`;
      const file = batch(sandbox);
      const first = await stage.run([file, "--headless"]);
      expect(stage.landed(), first.stdout).toEqual([]);
      expect(first.stdout).toContain(words);
      const { run, tickets } = await stage.report();
      expect(JSON.stringify(tickets)).toContain("bound approve");
      const shown = (await stage.run(["bound", "approve", run, "T-1"])).stdout;
      expect(shown).toContain(`- it moves ${words}`);
      const commit = /approve \S+ T-1 ([0-9a-f]{12})/.exec(shown)?.[1] ?? "";
      await stage.run(["bound", "approve", run, "T-1", commit]);
      const second = await stage.run([file, "--headless"]);
      expect(second.code, second.stdout).toBe(0);
      expect(readFileSync(stage.path("app/lib/a.txt"), "utf8")).toBe("two\n");
      expect(stage.git("app", "status", "--porcelain")).toBe("");
      expect(stage.git("app", "submodule", "status", "--recursive")).toMatch(new RegExp(`^ ?${newer} lib `));
    },
  );

  test("a move to a commit that is not here is refused, with the reason", async () => {
    const { older } = nested(stage);
    const away = "a".repeat(40);
    stage.agent(
      `sh("git", "update-index", "--cacheinfo", "160000,${away},lib"); sh("git", "-c", "user.name=a", "-c", "user.email=a@a", "commit", "-qm", "move");`,
    );
    const { code, stdout } = await stage.run([batch("required"), "--json"]);
    expect(code).toBe(1);
    expect(stdout).toContain(`submodule lib: ${older.slice(0, 7)} → aaaaaaa, a commit that is not here`);
  });

  test.for(sandboxes)("what an agent changes inside one is told and kept, and never lands; sandbox %s", async (sandbox) => {
    nested(stage);
    stage.agent(
      `fs.writeFileSync("lib/a.txt", "one edited\\n"); fs.writeFileSync("lib/deep/new.txt", "new\\n"); if (process.env.BOTH) fs.writeFileSync("T-1.txt", "x");`,
    );
    const alone = await stage.run([batch(sandbox), "--headless"]);
    const told = "changes inside submodule lib, lib/deep are not landed";
    expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining(told)]);
    const { run } = await stage.report();
    expect(stage.git("app/lib", "show", `loopdash/${run}/T-1:a.txt`)).toBe("one edited");
    expect(stage.git("app/lib/deep", "show", `loopdash/${run}/T-1:new.txt`)).toBe("new");
    stage.agent(`fs.writeFileSync("lib/a.txt", "one edited\\n"); fs.writeFileSync("T-1.txt", "x");`);
    const both = await stage.run([batch(sandbox), "--headless", "--fresh"]);
    expect([both.code, both.stdout]).toEqual([0, expect.stringContaining("changes inside submodule lib are not landed")]);
    expect(readFileSync(stage.path("app/lib/a.txt"), "utf8")).toBe("one\n");
  });

  test("one that is not here is refused before an agent starts, with the command that helps", async () => {
    nested(stage);
    stage.git("app", "submodule", "deinit", "-q", "-f", "--all");
    rmSync(stage.path("app/.git/modules"), { recursive: true });
    stage.agent("");
    for (const args of [
      ["doctor", batch("required")],
      [batch("required"), "--dry-run"],
      [batch("required"), "--headless"],
    ]) {
      const { code, stdout, stderr } = await stage.run(args);
      expect(code).not.toBe(0);
      expect(`${stdout}${stderr}`).toContain(`git -C ${stage.path("app")} submodule update --init --recursive`);
    }
    stage.git("app", "config", "submodule.lib.update", "none");
    expect((await stage.run([batch("required"), "--dry-run"])).code).toBe(0);
  });

  test("no program that a submodule's settings name runs", async () => {
    nested(stage);
    const trap = `touch ${stage.path("SPRUNG")}`;
    for (const module of ["lib", "lib/modules/deep"])
      for (const key of [
        "core.fsmonitor",
        "core.sshCommand",
        "filter.x.smudge",
        "filter.x.clean",
        "diff.external",
        "core.alternateRefsCommand",
      ])
        stage.git("app", "config", "--file", stage.path("app/.git/modules", module, "config"), key, trap);
    stage.git("app", "config", "submodule.lib.update", `!${trap}`);
    stage.write("app/.git/modules/lib/hooks/post-checkout", `#!/bin/sh\n${trap}\n`, 0o755);
    stage.write("app/.git/modules/lib/hooks/reference-transaction", `#!/bin/sh\n${trap}\n`, 0o755);
    stage.write("app/.git/modules/lib/info/attributes", "* filter=x\n");
    stage.agent(`fs.writeFileSync("lib/a.txt", "one edited\\n"); fs.writeFileSync("T-1.txt", "x");`);
    const { code, stdout } = await stage.run([batch("required"), "--headless"]);
    expect(code, stdout).toBe(0);
    expect(existsSync(stage.path("SPRUNG"))).toBe(false);
  });
});
