import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { listening } from "../../packages/model-gateway/test/stage.ts";
import { HONEST, Stage } from "./stage.ts";

const TOKEN = "models/Token+4711-not-for-agents";
const ENCODED = [TOKEN, Buffer.from(TOKEN).toString("base64").slice(0, -4), encodeURIComponent(TOKEN)];

/** A store of models on loopback that wants the token. `asked` are the answers that it gave. */
async function store() {
  const asked: number[] = [];
  const server = createServer((req, res) => {
    const status = req.headers.authorization === `Bearer ${TOKEN}` ? 200 : 401;
    asked.push(status);
    res.writeHead(status).end("weights 7\n");
  });
  const port = await listening(server);
  onTestFinished(() => void server.close());
  return { port, asked };
}

/** A program beside the batch file that asks the store, and prints more than a careful one would. */
const FETCH = `#!/bin/sh
echo "token $TOKEN"
curl -s -S --fail --noproxy '' -H "Authorization: Bearer $TOKEN" "$1" >model.txt
`;

function stageWith(port: number, more: Record<string, unknown> = {}, fetch = FETCH) {
  const stage = new Stage();
  onTestFinished(() => stage[Symbol.dispose]());
  stage.repo("app", { ".gitignore": "model.txt\nseen.txt\n" });
  stage.agent(
    `${HONEST} say("env " + JSON.stringify(process.env)); say(fs.readFileSync("model.txt", "utf8") + fs.readFileSync("seen.txt", "utf8"));`,
  );
  stage.write("fetch.sh", fetch, 0o755);
  const prepare = [
    { command: ["{batch}/fetch.sh", `http://127.0.0.1:${port}/`], env: { TOKEN: "{secret:models}", KIND: "models" } },
    ["sh", "-c", "env >seen.txt"],
  ];
  const check = {
    step: "check",
    name: "tests",
    command: ["sh", "-c", "env; cat seen.txt; grep -q 'weights 7' model.txt"],
    canary: "off",
  };
  const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }], {
    sandbox: "required",
    limits: { attempts: 1 },
    secrets: { models: { env: "MODELS_TOKEN" } },
    sandboxPolicy: { hosts: { prepare: [`127.0.0.1:${port}`] } },
    repos: { app: { path: "app", prepare, inputs: [] } },
    finish: [check, { step: "merge" }],
    ...more,
  });
  return { stage, batch, env: { MODELS_TOKEN: TOKEN } };
}

describe("a secret of a prepare command", { timeout: 300_000 }, () => {
  test("reaches its own program alone, whose result is kept and reused without it", async () => {
    const { port, asked } = await store();
    const { stage, batch, env } = stageWith(port);
    const { code, stdout, stderr } = await stage.run([batch, "--json"], env);
    expect({ code, stderr }, stdout.slice(-3000)).toEqual({ code: 0, stderr: "" });
    expect(asked).toEqual([200]);
    const kept = stage.everything();
    expect(kept).toContain("token [secret models]");
    expect(kept).not.toMatch(/^(?:TOKEN|KIND)=|^env \{.*"(?:TOKEN|KIND)":/m);
    for (const form of ENCODED) for (const text of [kept, stdout]) expect(text).not.toContain(form);
  });

  test("is tried by doctor --prepare, and named without its value by it and by --dry-run", async () => {
    const { port } = await store();
    const { stage, batch, env } = stageWith(port);
    const doctor = await stage.run(["doctor", batch, "--prepare"], env);
    expect(doctor.stdout).toMatch(/ok +secret +models: from the variable MODELS_TOKEN/);
    expect(doctor.stdout).toMatch(/ok +prepare +app: prepared in/);
    const plan = await stage.run([batch, "--dry-run"], env);
    expect(plan.code, plan.stderr).toBe(0);
    for (const { stdout, stderr } of [doctor, plan]) for (const form of ENCODED) expect(stdout + stderr).not.toContain(form);
  });

  const LEAVING = `${FETCH}echo "machine x password $TOKEN" >settings.txt\n`;
  test.each([true, false])(
    "that its program leaves in a file fails the preparation, before anybody reads it; cache: %s",
    async (cache) => {
      const { port } = await store();
      const { stage, batch, env } = stageWith(port, {}, LEAVING);
      const file = JSON.parse(readFileSync(batch, "utf8"));
      file.repos.app.cache = cache;
      stage.write("batch.json", JSON.stringify(file));
      const { code, stdout } = await stage.run([batch, "--json"], env);
      expect(code).toBe(1);
      expect(stdout).toContain('the secret \\"models\\" is in settings.txt, which agents and their code read');
      expect(stdout).not.toContain('"type":"agent-launching"');
      const doctor = await stage.run(["doctor", batch, "--prepare"], env);
      expect(doctor.stdout).toMatch(/the secret "models" is in .*settings\.txt, which agents and their code read/);
      for (const form of ENCODED)
        for (const text of [stage.everything(), stdout, doctor.stdout]) expect(text).not.toContain(form);
    },
  );

  test("cannot change in an unfinished run, with --accept-changes either", async () => {
    const { port } = await store();
    const { stage, batch, env } = stageWith(port, { limits: { attempts: 1, outageMinutes: 0.02 } });
    const first = await stage.run([batch, "--json"], { ...env, MODELS_TOKEN: "" });
    expect(first.code).toBe(4);
    const file = JSON.parse(readFileSync(batch, "utf8"));
    file.secrets.models = { command: ["sh", "-c", "exit 3"] };
    stage.write("batch.json", JSON.stringify(file));
    expect((await stage.run([batch, "--json"], env)).code).toBe(3);
    file.repos.app.prepare[0].env.TOKEN = "Bearer {secret:models}";
    stage.write("batch.json", JSON.stringify(file));
    const { code, stderr } = await stage.run([batch, "--json", "--accept-changes"], env);
    expect(code).toBe(4);
    expect(stderr).toMatch(/cannot continue[^]*repos\.app\.prepare/);
  });
});

/** A reviewer that rules on a claim by the owner's own service, which wants the token; it passes every change. */
const RULE = (url: string) => `import { readFileSync } from "node:fs";
const prompt = readFileSync(process.env.LOOPDASH_PROMPT, "utf8");
const question = process.env.LOOPDASH_QUESTION;
console.error(question + " holds " + (process.env.TOKEN ?? "nothing"));
const nonce = /"nonce": "(\\w+)"/.exec(prompt)[1], tree = /"tree": "(\\w+)"/.exec(prompt)[1];
const holds = question === "adjudicate" && process.env.TOKEN === process.env.AUTH?.slice(7) && ${JSON.stringify(url)} !== "";
const test = { holds, reason: "token " + process.env.TOKEN };
const tests = { external: test, notFixableByRetry: test, evidenced: test, noOtherPath: test };
const answer = question === "adjudicate" ? { tests, reason: "looked", verdict: holds ? "upheld" : "rejected" } : { findings: [], verdict: "pass" };
console.log("LOOPDASH ANSWER BEGIN " + nonce + "\\n" + JSON.stringify({ nonce, tree, ...answer }) + "\\nLOOPDASH ANSWER END " + nonce);
`;

describe("a secret of the reviewer", { timeout: 300_000 }, () => {
  test("is in its variables for a ruling, for no review, and in nothing that loopdash writes", async () => {
    const stage = new Stage();
    onTestFinished(() => stage[Symbol.dispose]());
    stage.repo("app");
    const claim = {
      claim: "the account is suspended",
      wall: "not mine",
      evidence: [{ command: ["sh", "-c", "exit 7"], exitCode: 7, output: "" }],
      tried: "everything",
      humanStep: "Reactivate it",
    };
    const blocked = `fs.writeFileSync(process.env.LOOPDASH_OUTBOX + "/blocker.json", ${JSON.stringify(JSON.stringify(claim))});`;
    stage.agent(`${HONEST} if (ticket === "T-2") { ${blocked} }`);
    stage.write("rule.mjs", RULE("x"));
    const env = { TOKEN: "{secret:billing}", AUTH: "Bearer {secret:billing}" };
    const batch = stage.batch(["T-1", "T-2"], {
      sandbox: "required",
      limits: { attempts: 1 },
      secrets: { billing: { file: stage.write("token", `${TOKEN}\n`) } },
      reviewer: { kind: "command", command: ["node", "{batch}/rule.mjs"], env },
      finish: [{ step: "review" }, { step: "merge" }],
    });
    const { code, stdout, stderr } = await stage.run([batch, "--json"]);
    expect({ code, stderr }, stdout.slice(-3000)).toEqual({ code: 0, stderr: "" });
    const kept = stage.everything();
    expect(kept).toContain("review holds nothing");
    expect(kept).not.toContain("review holds [secret");
    expect(kept).toContain("adjudicate holds [secret billing]");
    expect((await stage.report()).tickets).toMatchObject([{ state: "done" }, { state: "human-gated" }]);
    for (const form of ENCODED) for (const text of [kept, stdout]) expect(text).not.toContain(form);
  });

  test("is refused for a program that leads into a repository, before anything starts", async () => {
    const stage = new Stage();
    onTestFinished(() => stage[Symbol.dispose]());
    stage.repo("app", { "rule.mjs": "" });
    stage.agent(HONEST);
    const batch = stage.batch(["T-1"], {
      sandbox: "required",
      secrets: { billing: { env: "BILLING" } },
      reviewer: { kind: "command", command: ["node", "{batch}/app/rule.mjs"], env: { TOKEN: "{secret:billing}" } },
      finish: [{ step: "merge" }],
    });
    const { code, stderr } = await stage.run([batch, "--headless"], { BILLING: TOKEN });
    expect(stderr).toMatch(/the reviewer cannot have a secret[^]*lies in the repository "app"/);
    expect(code).toBe(4);
  });
});
