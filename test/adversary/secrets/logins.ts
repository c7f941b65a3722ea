import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";

/** The tokens of a login, and the first as code spells it that got it: backwards, which nothing masks. */
const ACCESS = "sk-ant-access-that-no-agent-may-see-4711";
const REFRESH = "sk-ant-refresh-that-no-agent-may-see-4711";
const MARKED = [...ACCESS].toReversed().join("");

/** The events of an answer that says this. */
function answered(text: string): string {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const events = [
    { type: "message_start", message: { model: "claude-haiku-4-5", usage } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** A vendor whose API repeats what it is sent, with the token endpoint beside it; it notes every path that was asked for. */
async function startVendor() {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? "");
    req.resume();
    res.writeHead(200, { "content-type": "text/event-stream" }).end(answered(`you sent ${req.headers.authorization}`));
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return { port: (server.address() as AddressInfo).port, asked, close: () => void server.close() };
}

type Vendor = Awaited<ReturnType<typeof startVendor>>;

/** A program in the place of Claude Code. It keeps what it finds, backwards, in what it lands. */
const PROGRAM = (attack: string) => `#!${process.execPath}
const fs = require("node:fs");
const keep = (text) => fs.writeFileSync("stolen.txt", [...text].reverse().join(""));
const ask = async (path, more) => (await fetch(process.env.ANTHROPIC_BASE_URL + path, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 10, messages: [{ role: "user", content: "hi" }], ...more }),
})).text();
(async () => {
  keep("nothing");
  try { ${attack} } catch (error) { keep(String(error)); }
  const usage = { input_tokens: 1, output_tokens: 1 };
  const end = { type: "result", subtype: "success", is_error: false, result: "done", num_turns: 1, total_cost_usd: 0.0001, usage };
  console.log(JSON.stringify({ ...end, session_id: "s", duration_ms: 1, terminal_reason: "completed" }));
})();
`;

interface Plan {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  readonly attack: (stage: Stage) => string;
  /** Opens the login's folder to agents. */
  readonly opens?: true;
  readonly harm: (stage: Stage, vendor: Vendor) => boolean;
}

function attack({ id, what, defence, attack: code, opens, harm }: Plan): Attack {
  return {
    id,
    what,
    defence,
    async succeeds(program) {
      using stage = new Stage();
      const vendor = await startVendor();
      try {
        stage.repo("app");
        const oauth = {
          accessToken: ACCESS,
          refreshToken: REFRESH,
          expiresAt: Date.now() + 3_600_000,
          scopes: ["user:inference"],
        };
        stage.write(".claude/.credentials.json", JSON.stringify({ claudeAiOauth: oauth }), 0o600);
        const batch = stage.batch(["T-1"], {
          agent: {
            ...{ kind: "claude", model: "claude-haiku-4-5", billing: "subscription" },
            program: stage.write("program/claude", PROGRAM(code(stage)), 0o755),
            baseUrl: `http://127.0.0.1:${vendor.port}`,
          },
          sandbox: "required",
          ...(opens === undefined ? {} : { sandboxPolicy: { read: [".claude"] } }),
          limits: { attempts: 1 },
          finish: [{ step: "gates" }, { step: "merge" }],
        });
        await stage.start([batch, "--headless"], {}, program).ended;
        return harm(stage, vendor);
      } finally {
        vendor.close();
      }
    },
  };
}

/** True if the token is in what the agent landed. */
function landed(stage: Stage): boolean {
  const files = stage.git("app", "ls-tree", "--name-only", "main");
  return files.includes("stolen.txt") && stage.git("app", "show", "main:stolen.txt").includes(MARKED);
}

/** Attacks on the login of a subscription, by the program that is used with it. */
export const LOGINS: readonly Attack[] = [
  attack({
    id: "X30-file",
    what: "reads the file of the login, whose folder the batch opens",
    defence: DEFENCES.loginFile,
    opens: true,
    attack: (stage) => `keep(fs.readFileSync(${JSON.stringify(stage.path(".claude/.credentials.json"))}, "utf8"));`,
    harm: landed,
  }),
  attack({
    id: "X31-endpoint",
    what: "asks the token endpoint by the engine's own token",
    defence: DEFENCES.routes,
    attack: () => 'keep(await ask("/v1/oauth/token", { grant_type: "refresh_token" }));',
    harm: (_, { asked }) => asked.includes("/v1/oauth/token"),
  }),
  attack({
    id: "X32-echo",
    what: "has the model's API repeat the token",
    defence: DEFENCES.scrub,
    attack: () => 'keep(await ask("/v1/messages", { stream: true }));',
    harm: landed,
  }),
];
