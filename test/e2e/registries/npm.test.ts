import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { inspectingProxy } from "../../helpers/inspecting-proxy.ts";
import { eventsOf, HONEST, Stage } from "../stage.ts";
import { type Package, startVerdaccio, type Verdaccio, withoutVerdaccio } from "./verdaccio.ts";

/** What a package could do while it is installed: it shows all that it finds of processes, variables and settings. */
const LOOKS = `const fs = require("node:fs");
const show = (path) => { try { console.log(path, fs.readFileSync(path, "latin1").replaceAll("\\0", " ")); } catch {} };
console.log("looked " + JSON.stringify(process.env));
for (const pid of fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)))
  for (const file of ["environ", "cmdline"]) show("/proc/" + pid + "/" + file);
for (const file of [".npmrc", process.env.INIT_CWD + "/.npmrc", process.env.HOME + "/.npmrc", "/etc/npmrc"]) show(file);
`;

const aPackage = (name: string): Package => ({
  name,
  scripts: { postinstall: "node install.cjs" },
  files: { "index.js": "module.exports = 1;\n", "install.cjs": LOOKS },
});

/** Runs a batch whose `prepare` is `npm ci` of a package from a registry at `base`. */
async function installs(
  stage: Stage,
  options: {
    readonly registry: Verdaccio;
    readonly name: string;
    readonly base: string;
    readonly host: object | string;
    readonly over?: object;
    readonly env?: Record<string, string>;
    readonly prepare?: readonly (readonly string[])[];
  },
) {
  const { registry, name, base, host, over = {}, env = {}, prepare = [] } = options;
  const manifest = { name: "app", version: "1.0.0", dependencies: { [name]: "1.0.0" } };
  stage.repo("app", {
    ".gitignore": "node_modules\n",
    ".npmrc": `registry=${base}\n`,
    "package.json": JSON.stringify(manifest),
    "package-lock.json": registry.lockOf(manifest),
  });
  stage.agent(HONEST);
  const batch = stage.batch(["T-1"], {
    repos: { app: { path: "app", prepare: [["npm", "ci", "--foreground-scripts", "--no-audit"], ...prepare] } },
    sandbox: "required",
    limits: { attempts: 1 },
    sandboxPolicy: { hosts: { prepare: [host] } },
    finish: [{ step: "check", name: "installed", command: ["test", "-f", `node_modules/${name}/index.js`] }, { step: "merge" }],
    ...over,
  });
  const ended = await stage.run([batch, "--json"], env);
  return { ...ended, events: eventsOf(ended.stdout) };
}

async function aRegistry(...packages: readonly Package[]): Promise<{ readonly stage: Stage; readonly registry: Verdaccio }> {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  const registry = await startVerdaccio(stage.root, packages);
  onTestFinished(registry.close);
  return { stage, registry };
}

beforeEach(({ skip }) => skip(withoutVerdaccio !== undefined, withoutVerdaccio));

describe("a private registry behind a token (verdaccio)", { timeout: 300_000 }, () => {
  const headers = { authorization: "Bearer {secret:npm}" };
  const atRegistry = ({ port }: Verdaccio, more: object) => ({ host: "127.0.0.1", port, addresses: ["127.0.0.1"], ...more });

  test("lets npm ci install with the token that the gateway adds, and no process has it", async () => {
    const { stage, registry } = await aRegistry(aPackage("left"));
    const base = `https://127.0.0.1:${registry.port}/`;
    const host = atRegistry(registry, { headers });
    const over = { secrets: { npm: { env: "CORP_NPM_TOKEN" } } };
    const env = { CORP_NPM_TOKEN: registry.token, NODE_EXTRA_CA_CERTS: registry.ca };
    const asked = registry.asked.length;
    const { code, stdout } = await installs(stage, { registry, name: "left", base, host, over, env });
    expect(code, stdout.slice(-3000)).toBe(0);
    const since = registry.asked.slice(asked);
    expect(since).toContain("GET /left/-/left-1.0.0.tgz 200");
    expect(since.filter((line) => line.endsWith("401"))).toEqual([]);
    const kept = stage.everything();
    expect(kept).toContain("looked {");
    expect(kept).toContain(`registry=${base}`);
    // A value that was found would be masked.
    expect(kept + stdout).not.toContain("[secret npm]");
    expect(kept + stdout).not.toContain(registry.token);
  });

  test("is not installed from without the token: the reason names the host and the registry's refusal", async () => {
    const { stage, registry } = await aRegistry(aPackage("left"));
    const base = `https://127.0.0.1:${registry.port}/`;
    const env = { NODE_EXTRA_CA_CERTS: registry.ca };
    const { code, events } = await installs(stage, { registry, name: "left", base, host: atRegistry(registry, {}), env });
    expect(code).toBe(1);
    expect(registry.asked.at(-1)).toBe("GET /left 401");
    const [reason] = events.flatMap((event) => (event.type === "run-ended" ? [event.reason] : []));
    expect(reason).toMatch(/^the check installed cannot run on the base of app: npm ci .*E401/);
  });

  test("is not installed from with a wrong token: the reason says that the host refuses the secret", async () => {
    const { stage, registry } = await aRegistry(aPackage("left"));
    const base = `https://127.0.0.1:${registry.port}/`;
    const host = atRegistry(registry, { headers });
    const over = { secrets: { npm: { env: "CORP_NPM_TOKEN" } } };
    const env = { CORP_NPM_TOKEN: "a-token-that-has-expired", NODE_EXTRA_CA_CERTS: registry.ca };
    const { code, events } = await installs(stage, { registry, name: "left", base, host, over, env });
    expect(code).toBe(1);
    const [reason] = events.flatMap((event) => (event.type === "run-ended" ? [event.reason] : []));
    expect(reason).toContain(`127.0.0.1:${registry.port} answered 401 to the secret "npm"`);
  });
});

describe("a proxy that inspects TLS, with its own authority and a password", { timeout: 300_000 }, () => {
  const PASSWORD = "s3cr3t-of-the-company";
  const LOGIN = `worker:${PASSWORD}`;
  const FORMS = /s3cr3t-of-the-company|d29ya2VyOnMzY3IzdC/;
  /** Looks for the password in all that a prepare command can read, without naming it. */
  const SEARCH = [
    'grep -rIlsE "s3cr3t-of-the-[c]ompany|d29ya2VyOnMzY3I[z]dC" "$HOME" /tmp /etc /run /var /opt . 2>/dev/null',
    "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | sort -u",
    'echo "searched"; env',
  ].join("; ");

  const behind = async (name: string, withToken: boolean) => {
    const { stage, registry } = await aRegistry(aPackage(name));
    const proxy = await inspectingProxy(stage.path("proxy-ca"), {
      ...{ login: LOGIN, leadsTo: registry.port, trusts: readFileSync(registry.ca, "utf8") },
    });
    const url = `http://${LOGIN}@127.0.0.1:${proxy.port}`;
    const asked = registry.asked.length;
    const { code, stdout, stderr } = await installs(stage, {
      ...{ registry, name, base: "https://registry.invalid/" },
      host: withToken ? { host: "registry.invalid", headers: { authorization: "Bearer {secret:npm}" } } : "registry.invalid",
      over: withToken ? { secrets: { npm: { env: "CORP_NPM_TOKEN" } } } : {},
      env: { HTTPS_PROXY: url, NODE_EXTRA_CA_CERTS: proxy.ca, ...(withToken ? { CORP_NPM_TOKEN: registry.token } : {}) },
      prepare: [["sh", "-c", SEARCH]],
    });
    expect({ code, stderr }, stdout.slice(-3000)).toEqual({ code: 0, stderr: "" });
    expect(proxy.read).toContain(`GET https://registry.invalid/${name}/-/${name}-1.0.0.tgz`);
    expect(proxy.refused).toEqual([]);
    expect(registry.asked.slice(asked)).toContain(`GET /${name}/-/${name}-1.0.0.tgz 200`);
    const kept = stage.everything();
    expect(kept).toMatch(/looked \{[^]*searched/);
    expect(kept + stdout).not.toMatch(FORMS);
    return { kept, token: registry.token };
  };

  test("is passed by npm ci, which trusts that authority inside, and the password is nowhere in the sandbox", async () => {
    await behind("open-left", false);
  });

  test("is passed by the gateway with a token, which the proxy alone sees beside the registry", async () => {
    const { kept, token } = await behind("left", true);
    expect(kept).not.toContain(token);
    expect(kept).not.toContain("[secret npm]");
  });
});
