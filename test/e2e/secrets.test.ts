import { symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { lockWithLeft, startRegistry } from "./private-registry.ts";
import { HONEST, Stage } from "./stage.ts";

const TOKEN = "staging/Token+4711-not-for-agents";
const ENCODED = [TOKEN, Buffer.from(TOKEN).toString("base64").slice(0, -4), encodeURIComponent(TOKEN)];

/** A staging service that only who has the token may ask. Gives its port and what it was sent as authorization. */
async function staging(): Promise<{ readonly port: number; readonly sent: (string | undefined)[] }> {
  const sent: (string | undefined)[] = [];
  const server: Server = createServer((req, res) => {
    sent.push(req.headers.authorization);
    res.writeHead(req.headers.authorization === `Bearer ${TOKEN}` ? 200 : 401).end("version 2\n");
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, sent };
}

/** Asks the staging service, and prints more of its secret than a careful program would. */
const VERIFY = `#!/bin/sh
echo "token $TOKEN"; printf %s "$TOKEN" | base64; echo "$TOKEN" >&2
exec curl -s -S --fail --noproxy '' -H "Authorization: Bearer $TOKEN" "$1"
`;

function stageWith(verify: Record<string, unknown>, over: Record<string, unknown> = {}) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app", { "README.md": "# test\n", "verify.sh": VERIFY });
  stage.agent(`${HONEST} say(JSON.stringify(process.env));`);
  stage.write("verify.sh", VERIFY, 0o755);
  const batch = stage.batch(["T-1"], {
    sandbox: "required",
    limits: { attempts: 1 },
    secrets: { staging: { command: ["/bin/sh", "-c", "cat token"] } },
    finish: [{ step: "merge" }, { step: "verify", name: "live", env: { TOKEN: "{secret:staging}" }, ...verify }],
    ...over,
  });
  stage.write("token", `${TOKEN}\n`);
  return { stage, batch };
}

describe("a secret of a verify", { timeout: 300_000 }, () => {
  test("reaches its own program and a staging service, and nothing that loopdash writes or shows", async () => {
    const { port, sent } = await staging();
    const { stage, batch } = stageWith(
      { command: ["{batch}/verify.sh", `http://127.0.0.1:${port}/`], expect: { text: "version 2" } },
      { sandboxPolicy: { read: ["verify.sh"], hosts: { live: [`127.0.0.1:${port}`] } } },
    );
    const { code, stdout, stderr } = await stage.events(batch);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(new Set(sent)).toEqual(new Set([`Bearer ${TOKEN}`]));
    const kept = stage.everything();
    expect(kept).toContain("token [secret staging]");
    const { stdout: report } = await stage.run(["report", "--html"]);
    for (const form of ENCODED) for (const text of [kept, stdout, report]) expect(text).not.toContain(form);
  });

  test("that cannot be fetched is waited for, and ends the run unjudged with the reason instead of failing the work", async () => {
    const { stage, batch } = stageWith(
      { command: ["{batch}/verify.sh", "http://127.0.0.1:1/"] },
      {
        sandboxPolicy: { read: ["verify.sh"] },
        limits: { attempts: 1, outageMinutes: 0.02 },
        secrets: { staging: { command: ["/bin/sh", "-c", "echo locked >&2; exit 3"] } },
      },
    );
    const { code, events } = await stage.events(batch);
    expect(code).toBe(3);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "outage-started",
        what: "secret",
        why: expect.stringContaining("exited with code 3: locked"),
      }),
    );
  });

  const refused: Readonly<Record<string, readonly [over: Record<string, unknown>, why: RegExp]>> = {
    "for a program that leads into a repository": [{}, /linked\.sh leads out of the batch's folder|lies in the repository "app"/],
    "from a variable that is not set": [{ secrets: { staging: { env: "NO_SUCH_TOKEN" } } }, /NO_SUCH_TOKEN is not set/],
    "from a file that agents read": [{ secrets: { staging: { file: "app/README.md" } } }, /lies in the repository "app"/],
    "from a command that agents could change": [
      { secrets: { staging: { command: ["sh", "app/verify.sh"] } } },
      /runs .*app\/verify\.sh with your rights/,
    ],
  };
  test.each(Object.entries(refused))("is refused %s, before anything starts", async (_, [over, why]) => {
    const { stage, batch } = stageWith({ command: ["{batch}/linked.sh"] }, over);
    symlinkSync(stage.path("app/verify.sh"), stage.path("linked.sh"));
    const { code, stderr } = await stage.run([batch, "--headless"]);
    expect(stderr).toMatch(why);
    expect(code).toBe(4);
    expect(stage.landed()).toEqual([]);
  });
});

test("all secrets that a start would refuse are listed by doctor, and the start counts them", { timeout: 300_000 }, async () => {
  const secrets = { staging: { env: "NO_SUCH_TOKEN" }, other: { env: "NO_OTHER_TOKEN" }, third: { file: "nothing" } };
  const { stage, batch } = stageWith({ command: ["{batch}/verify.sh"] }, { secrets });
  const start = await stage.run([batch, "--headless"]);
  expect(start.stderr).toMatch(/NO_SUCH_TOKEN is not set[^]*"loopdash doctor" lists 2 more problems of this kind/);
  const { stdout } = await stage.run(["doctor", batch]);
  for (const why of ["NO_SUCH_TOKEN is not set", "NO_OTHER_TOKEN is not set", "nothing does not exist"])
    expect(stdout).toMatch(new RegExp(`bad +secret .*${why}`));
});

describe("a command that prints a secret", { timeout: 300_000 }, () => {
  const missing: Readonly<Record<string, readonly [command: readonly string[], why: RegExp]>> = {
    "whose script is not there": [["sh", "nope.sh"], /secrets\.staging\.command\[1\]: "nope\.sh": there is no such file/],
    "whose script is not in a folder": [
      ["node", "/no/such/token.mjs"],
      /command\[1\]: "\/no\/such\/token\.mjs": there is no such/,
    ],
    "that no folder of PATH has": [["no-such-program"], /command\[0\]: "no-such-program": no folder of PATH has this program/],
    "that is no file beside the batch": [["./nope"], /command\[0\]: "\/.*\/nope": there is no such file/],
  };
  test.each(Object.entries(missing))("%s refuses --dry-run, doctor and the start, with its place", async (_, [command, why]) => {
    const { stage, batch } = stageWith({ command: ["{batch}/verify.sh", "x"] }, { secrets: { staging: { command } } });
    for (const args of [
      [batch, "--dry-run"],
      [batch, "--headless"],
      ["doctor", batch],
    ]) {
      const { code, stdout, stderr } = await stage.run(args);
      expect(stdout + stderr, args.join(" ")).toMatch(why);
      expect(stdout + stderr).toMatch(/batch\.json:\d+:\d+ +secrets\.staging\.command/);
      expect(code).not.toBe(0);
    }
    expect(stage.landed()).toEqual([]);
  });

  test("may be named by a script beside the batch file", async () => {
    const { stage, batch } = stageWith(
      { command: ["{batch}/verify.sh", "x"] },
      { secrets: { staging: { command: ["sh", "token.sh"] } } },
    );
    stage.write("token.sh", "cat token\n");
    const { code, stderr } = await stage.run([batch, "--dry-run"]);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("token.sh");
  });
});

/** What a package that agents chose would try while it is installed: it looks for the token, and has an echo send it back. */
const PRYING = `const fs = require("node:fs"), https = require("node:https");
const say = (text) => fs.appendFileSync(process.env.INIT_CWD + "/pried.txt", text + "\\n");
say(JSON.stringify(process.env));
for (const pid of fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)))
  try { say(fs.readFileSync("/proc/" + pid + "/environ", "latin1") + fs.readFileSync("/proc/" + pid + "/cmdline", "latin1")); } catch {}
const base = process.env.npm_config_registry;
const ca = fs.readFileSync(process.env.NODE_EXTRA_CA_CERTS);
https.get(base + "echo", { ca, agent: false }, (res) => {
  let text = "";
  res.on("data", (chunk) => { text += chunk; }).on("end", () => { say("echo " + text); console.log("echo " + text); });
});
`;

describe("a secret that the gateway adds", { timeout: 300_000 }, () => {
  test("lets a real npm ci install from a private registry, and neither the agent nor an install script gets it", async () => {
    const stage = new Stage();
    onTestFinished(() => stage[Symbol.dispose]());
    const registry = await startRegistry(stage.root, { token: TOKEN, postinstall: PRYING });
    onTestFinished(registry.close);
    const base = `https://127.0.0.1:${registry.port}/`;
    stage.repo("app", {
      ".gitignore": "node_modules\npried.txt\n",
      ".npmrc": `registry=${base}\n`,
      "package.json": JSON.stringify({ name: "app", version: "1.0.0", dependencies: { left: "1.0.0" } }),
      "package-lock.json": lockWithLeft(stage.root),
      "check.sh": "set -e\ntest -f node_modules/left/index.js\ncat pried.txt\n",
    });
    const looking = `say(fs.readFileSync("pried.txt", "utf8")); say(JSON.stringify(process.env));
      try { say(sh("curl", "-sk", "--max-time", "5", "${base}left")); } catch (error) { say("no way: " + error.message.length); }`;
    stage.agent(`${HONEST} ${looking}`);
    const batch = stage.batch(["T-1"], {
      repos: { app: { path: "app", prepare: [["npm", "ci", "--foreground-scripts"]] } },
      sandbox: "required",
      limits: { attempts: 1 },
      secrets: { npm: { env: "CORP_NPM_TOKEN" } },
      sandboxPolicy: {
        hosts: {
          prepare: [
            {
              host: "127.0.0.1",
              port: registry.port,
              addresses: ["127.0.0.1"],
              headers: { authorization: "Bearer {secret:npm}" },
            },
          ],
        },
      },
      finish: [{ step: "check", name: "tests", command: ["sh", "check.sh"] }, { step: "merge" }],
    });
    const { code, stdout, stderr } = await stage.run([batch, "--json"], {
      CORP_NPM_TOKEN: TOKEN,
      NODE_EXTRA_CA_CERTS: registry.ca,
    });
    expect({ code, stderr }, stdout.slice(-3000)).toEqual({ code: 0, stderr: "" });
    expect(registry.asked).toContain("GET /left/-/left-1.0.0.tgz 200");
    expect(registry.asked).toContain("GET /echo 200");
    expect(registry.asked.filter((line) => line.endsWith("401"))).toEqual([]);
    const kept = stage.everything();
    expect(kept).toContain('"authorization":"Bearer ****');
    for (const form of ENCODED) for (const text of [kept, stdout]) expect(text).not.toContain(form);
  });
});
