import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { HOUR, keep, tokenEndpoint, VENDOR } from "../adapters/agent/logins/stage.ts";
import { Stage } from "../e2e/stage.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import { responsesStandIn } from "./stand-in.ts";

const SOON = Date.now() + HOUR;

describe("a batch on the login of the real codex", () => {
  const missing = whyWithout("codex");
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  const batchOf = (stage: Stage, ports: { readonly api: number; readonly login: number }) =>
    stage.batch(["T-1"], {
      agent: {
        ...{ kind: "codex", model: "gpt-5.3-codex", billing: "subscription" },
        program: join(programsFolder(), "node_modules/.bin/codex"),
        baseUrl: `http://127.0.0.1:${ports.api}/v1`,
        loginUrl: `http://127.0.0.1:${ports.login}/oauth/token`,
      },
      sandbox: "required",
      finish: [
        { step: "gates" },
        { step: "check", name: "made", command: ["grep", "-q", "done", "made.txt"] },
        { step: "merge" },
      ],
    });

  test("ships on a refreshed token, and no token is in anything that it writes", { timeout: 240_000 }, async () => {
    const fresh = VENDOR.codex.access(2, SOON);
    const api = await responsesStandIn(
      (turn) =>
        turn === 0
          ? { tool: { name: "exec_command", input: { cmd: "echo done > made.txt && git add -A && git commit -qm made" } } }
          : { say: "It is done.", usage: { input: 1_000, output: 100 } },
      ({ headers }) => headers.authorization === `Bearer ${fresh}` && headers["chatgpt-account-id"] === "acc-1",
    );
    const endpoint = await tokenEndpoint((n) => VENDOR.codex.answer(n, SOON));
    using stage = new Stage();
    stage.repo("app");
    const file = stage.path(".codex/auth.json");
    keep(file, VENDOR.codex.kept(1, Date.now() - HOUR));
    const batch = batchOf(stage, { api: api.port, login: endpoint.port });
    const doctor = await stage.run(["doctor", batch, "--json"]);
    expect(doctor.stdout).toContain("expired; loopdash refreshes it");
    const { code, stdout, stderr } = await stage.run([batch, "--headless"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stage.landed()).toEqual(["T-1"]);
    expect(endpoint.seen).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toContain(fresh);
    for (const text of [doctor.stdout, stdout, stage.everything()])
      for (const secret of [fresh, VENDOR.codex.access(1, SOON), "refresh-1", "refresh-2"]) expect(text).not.toContain(secret);
  });

  test.each([
    ["is missing", undefined, "it does not exist"],
    ["nobody can refresh", "used-up", "the vendor refused to refresh it (400)"],
  ])("is refused at the start if the login %s", async (_, refresh, why) => {
    const endpoint = await tokenEndpoint((n) => VENDOR.codex.answer(n, SOON));
    using stage = new Stage();
    stage.repo("app");
    const kept = JSON.stringify(VENDOR.codex.kept(1, Date.now() - HOUR)).replace("refresh-1", refresh ?? "");
    if (refresh !== undefined) keep(stage.path(".codex/auth.json"), JSON.parse(kept));
    const { code, stderr } = await stage.run([batchOf(stage, { api: 1, login: endpoint.port }), "--headless"]);
    expect(code).toBe(4);
    expect(stderr).toContain(why);
    expect(stderr).toContain("Run codex login");
  });

  test.each([
    ["revoked", "refresh-1"],
    ["revoked for good, with its refresh token", "used-up"],
  ])(
    "that is %s: one line says how to log in, no attempt counts, and the same command resumes",
    { timeout: 240_000 },
    async (_, refresh) => {
      let isLoggedIn = false;
      const api = await responsesStandIn(
        (turn) =>
          turn === 0
            ? { tool: { name: "exec_command", input: { cmd: "echo done > made.txt && git add -A && git commit -qm made" } } }
            : { say: "It is done." },
        () => isLoggedIn,
      );
      const endpoint = await tokenEndpoint((n) => VENDOR.codex.answer(n, SOON));
      using stage = new Stage();
      stage.repo("app");
      const file = stage.path(".codex/auth.json");
      keep(file, JSON.parse(JSON.stringify(VENDOR.codex.kept(1, SOON)).replace("refresh-1", refresh)));
      const batch = batchOf(stage, { api: api.port, login: endpoint.port });
      const first = await stage.run([batch, "--headless"]);
      expect(first.code).toBe(1);
      const lines = first.stdout.split("\n").filter((line) => /^\d.*\(authentication\)/.test(line));
      // The end of the attempt, and that of the run.
      expect(lines).toHaveLength(2);
      expect(lines[1]).toContain("; log in again (codex login), then run the same command again");
      expect(first.stdout).not.toContain("API key");
      isLoggedIn = true;
      keep(file, VENDOR.codex.kept(5, SOON));
      const again = await stage.run([batch, "--headless"]);
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("run resumed")]);
      expect(stage.landed()).toEqual(["T-1"]);
    },
  );
});
