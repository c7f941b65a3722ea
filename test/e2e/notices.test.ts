import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { NoticeMessage } from "../../src/domain/notice/notices.ts";
import { Stage } from "./stage.ts";

/** The receiver's key, in the environment of loopdash alone. */
const KEY = "signing-key-of-the-receiver-0123456789";

/** A receiver that keeps what it is told, and answers with `status`. */
async function receiver(status: () => number = () => 200) {
  const seen: NoticeMessage[] = [];
  const changed = new EventTarget();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const time = String(request.headers["loopdash-timestamp"]);
    const signature = `sha256=${createHmac("sha256", KEY).update(`${time}.${body}`).digest("hex")}`;
    const isSigned = request.headers["loopdash-signature"] === signature && Math.abs(Number(time) * 1_000 - Date.now()) < 60_000;
    const answer = isSigned ? status() : 403;
    if (answer === 200) seen.push(JSON.parse(body) as NoticeMessage);
    response.writeHead(answer).end();
    changed.dispatchEvent(new Event("told"));
  });
  await new Promise<void>((settle) => void server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  const keys = () => seen.flatMap(({ notices }) => notices.map(({ key }) => key));
  /** Settles once a notice of this kind has come. */
  const until = async (kind: string): Promise<void> => {
    while (!seen.some(({ notices }) => notices.some((notice) => notice.kind === kind)))
      await new Promise((settle) => changed.addEventListener("told", settle, { once: true }));
  };
  return { seen, keys, until, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

function tellOf(url: string, on: readonly string[]) {
  return {
    notify: [{ kind: "webhook", url, signSecret: "sign", on }],
    secrets: { sign: { env: "SIGN" } },
    sandbox: "required",
    sandboxPolicy: { read: [process.execPath.replace(/\/[^/]*$/, "")] },
  };
}

const ALL = ["needs-you", "stalled", "limit", "incident", "landed", "ended", "engine-died", "slept"];

describe("notices", { timeout: 240_000 }, () => {
  test("tell a signed webhook once of each landing, stalled ticket and the end, under 500 characters", async () => {
    using stage = new Stage();
    const { seen, keys, url } = await receiver();
    stage.repo("app");
    stage.agent('if (ticket === "T-2") process.exit(3); fs.writeFileSync(ticket + ".txt", "1");');
    const ended = await stage.run([stage.batch(["T-1", "T-2"], { ...tellOf(url, ALL), limits: { attempts: 1 } }), "--headless"], {
      SIGN: KEY,
    });
    expect(ended.code, ended.stdout).toBe(1);
    expect(new Set(keys()).size).toBe(keys().length);
    const says = seen.flatMap(({ notices }) => notices.map((notice) => `${notice.kind}: ${notice.says}`));
    expect(says).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^landed: T-1 landed as [0-9a-f]{7}: Do T-1$/),
        expect.stringMatching(/^stalled: T-2 {2}/),
        expect.stringMatching(/^ended: 1 done, 0 left to you, 1 stalled; not done: /),
      ]),
    );
    expect(seen.every(({ text }) => text.length <= 500)).toBe(true);
    expect(ended.stdout).not.toContain(KEY);
    expect(stage.everything()).not.toContain(KEY);
  });

  test("a dead engine is told by somebody who outlives it, and what was told before is told once", async () => {
    using stage = new Stage();
    const { keys, until, url } = await receiver();
    stage.repo("app");
    stage.agent('if (ticket === "T-2") await wait(60_000); fs.writeFileSync(ticket + ".txt", "1");');
    const batch = stage.batch(["T-1", "T-2"], tellOf(url, ALL));
    const { child, ended } = stage.start([batch, "--headless"], { SIGN: KEY });
    await until("landed");
    child.kill("SIGKILL");
    await ended;
    await until("engine-died");
    stage.agent('fs.writeFileSync(ticket + ".txt", "1");');
    expect((await stage.run([batch, "--headless"], { SIGN: KEY })).code).toBe(0);
    expect(keys().filter((key) => key.startsWith("landed T-1"))).toHaveLength(1);
    expect(keys().filter((key) => key.startsWith("died"))).toHaveLength(1);
    expect(keys().filter((key) => key.startsWith("ended"))).toHaveLength(1);
  });

  test("a receiver that refuses costs the run nothing, is named, and is told everything in one message later", async () => {
    using stage = new Stage();
    let status = 503;
    const { seen, until, url } = await receiver(() => status);
    stage.repo("app");
    stage.agent('fs.writeFileSync(ticket + ".txt", "1"); if (ticket === "T-2") await wait(60_000);');
    const run = stage.start([stage.batch(["T-1", "T-2"], tellOf(url, ALL)), "--headless"], { SIGN: KEY });
    await run.until(/notices: webhook 1 has a problem: it answered 503; 1 wait, next try at/);
    status = 200;
    await until("landed");
    expect(seen).toHaveLength(1);
    run.child.kill("SIGTERM");
    await run.ended;
  });

  test("notify test tries each receiver, and bad settings are refused", async () => {
    using stage = new Stage();
    const { url, seen } = await receiver();
    stage.repo("app");
    stage.agent("");
    const routes = tellOf(url, ["ended"]);
    const dead = { kind: "ntfy", url: "http://127.0.0.1:9/topic" };
    const mail = { kind: "command", command: ["/bin/sh", "-c", 'cat > "$HOME/mail"'] };
    const batch = stage.batch(["T-1"], { ...routes, notify: [...routes.notify, dead, mail] });
    const tried = await stage.run(["notify", "test", batch], { SIGN: KEY });
    expect(tried.stdout).toMatch(/^ok {3}webhook 1\nbad {2}ntfy 2: it cannot be reached: .*\nok {3}command 3\n$/);
    expect(tried.code).toBe(1);
    expect((await stage.run([batch, "--only", "T-1", "--rehearse"], { SIGN: KEY })).stdout).toContain("T-1");
    expect(seen.map(({ text }) => text)).toEqual(["loopdash test: a test\nnothing needs you"]);
    const both = stage.batch(["T-1"], { notify: [{ kind: "slack", url, urlSecret: "x" }] });
    const refused = await stage.run([both, "--dry-run"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/notify\[0\] must have exactly one of url and urlSecret/);
  });

  test("tell your own receivers of every run, without a word in the batch", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent('fs.writeFileSync(ticket + ".txt", "1");');
    stage.write(
      ".config/loopdash/notify.json",
      JSON.stringify({ notify: [{ kind: "command", command: ["./tell"], on: ["ended"] }] }),
    );
    stage.write(".config/loopdash/tell", '#!/bin/sh\nexec cat >> "$(dirname "$0")/told"\n', 0o755);
    const ended = await stage.run([stage.batch(["T-1"]), "--headless"]);
    expect(ended.code, ended.stdout).toBe(0);
    expect(readFileSync(stage.path(".config/loopdash/told"), "utf8")).toMatch(/1 done, 0 left to you/);
    const test = await stage.run(["notify", "test"]);
    expect(test.stdout).toBe("ok   your command 1\n");
    expect(readFileSync(stage.path(".config/loopdash/told"), "utf8")).toContain("a test");
  });

  test("give no secret of yours to a run whose agents have no sandbox, and say so", async () => {
    using stage = new Stage();
    const { seen, url } = await receiver();
    stage.repo("app");
    stage.agent('fs.writeFileSync(ticket + ".txt", "1");');
    const { notify, secrets } = tellOf(url, ALL);
    stage.write(".config/loopdash/notify.json", JSON.stringify({ notify, secrets }));
    const open = await stage.run([stage.batch(["T-1"]), "--headless"], { SIGN: KEY });
    expect(open.code, open.stdout).toBe(0);
    expect(open.stdout).toContain("your webhook 1 is told nothing: agents have no sandbox");
    expect(seen).toEqual([]);
    const { notify: _, secrets: __, ...confined } = tellOf(url, ALL);
    const closed = await stage.run([stage.batch(["T-2"], { ...confined, name: "confined" }), "--headless"], { SIGN: KEY });
    expect(closed.code, closed.stdout).toBe(0);
    expect(seen.flatMap(({ notices }) => notices.map(({ kind }) => kind))).toContain("ended");
    expect(stage.everything()).not.toContain(KEY);
  });

  test("a file of your own that cannot be used is one error, and nothing starts", async () => {
    using stage = new Stage();
    stage.repo("app");
    stage.agent("");
    for (const [text, why] of [
      ["{", "JSON"],
      ['{"notify": [{"kind": "ntfy"}]}', "must have exactly one of url and urlSecret"],
      ['{"notify": [{"kind": "slack", "urlSecret": "hook"}]}', 'no secret "hook"'],
    ] as const) {
      stage.write(".config/loopdash/notify.json", text);
      const { code, stderr } = await stage.run([stage.batch(["T-1"]), "--headless"]);
      expect(code).toBe(2);
      expect(stderr).toContain("your own receivers of notices cannot be used");
      expect(stderr).toContain(why);
      expect(stderr).not.toContain("    at ");
    }
  });
});
