import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HONEST, Stage } from "../../e2e/stage.ts";
import type { Attack, Defence } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { MARKED, TOKEN } from "./servers.ts";

interface Target {
  readonly port: number;
  /** Paths that were asked for with the token. */
  readonly authorized: string[];
  close(): void;
}

/** A server behind the token, which sends back the header that it is sent. */
async function startTarget(): Promise<Target> {
  const authorized: string[] = [];
  const server = createServer((req, res) => {
    const { authorization = "" } = req.headers;
    if (authorization.includes(TOKEN)) authorized.push(req.url ?? "");
    res.writeHead(200, { "x-echo": authorization }).end(`you sent ${authorization}\n`);
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return { port: (server.address() as AddressInfo).port, authorized, close: () => void server.close() };
}

/** The world of one attack. */
export interface Trial {
  readonly stage: Stage;
  readonly target: Target;
}

interface Plan {
  readonly id: string;
  readonly what: string;
  readonly defence: Defence;
  /** The batch's own parts, and what lies in the repository and beside it. */
  readonly set: (trial: Trial) => Record<string, unknown>;
  readonly harm: (trial: Trial) => boolean;
}

/** Code that sends its text on in a form that nothing masks: it has the token if that form is found. */
export const BACKWARDS = "| rev";

/** An attack that has a run of its own. */
export function attack({ id, what, defence, set, harm }: Plan): Attack {
  return {
    id,
    what,
    defence,
    async succeeds(program) {
      using stage = new Stage();
      const target = await startTarget();
      try {
        stage.agent(HONEST);
        const over = set({ stage, target });
        const batch = stage.batch(["T-1"], {
          sandbox: "required",
          limits: { attempts: 1, outageMinutes: 0.02 },
          secrets: { corp: { env: "CORP_TOKEN" } },
          ...over,
        });
        const { ended } = stage.start([batch, "--headless"], { CORP_TOKEN: TOKEN }, program);
        await ended;
        return harm({ stage, target });
      } finally {
        target.close();
      }
    },
  };
}

const entry = (port: number) => ({
  host: "127.0.0.1",
  port,
  addresses: ["127.0.0.1"],
  headers: { authorization: "Bearer {secret:corp}" },
});
const asks = (port: number, path: string) => `curl -s -i --max-time 20 http://127.0.0.1:${port}/${path}`;
const holds = (text: string) => text.includes(MARKED);
/** A refused start leaves no home. */
export const keptIn = ({ stage }: Trial): boolean => existsSync(stage.home) && holds(stage.everything());
const verified = (command: readonly string[]) => [
  { step: "merge" },
  { step: "verify", name: "live", command, env: { TOKEN: "{secret:corp}" } },
];

export const SECRETS: readonly Attack[] = [
  attack({
    id: "X1-echo",
    what: "an install script has an echo of the host send the header back, and spells it backwards",
    defence: DEFENCES.answers,
    set: ({ stage, target }) => {
      stage.repo("app", { "install.sh": `${asks(target.port, "echo")} ${BACKWARDS}\n` });
      return {
        repos: { app: { path: "app", prepare: [["sh", "install.sh"]] } },
        sandboxPolicy: { hosts: { prepare: [entry(target.port)] } },
        finish: [{ step: "merge" }],
      };
    },
    harm: keptIn,
  }),
  attack({
    id: "X2-check",
    what: "a check has the name of a verify to whose requests the gateway adds a secret",
    defence: DEFENCES.headers,
    set: ({ stage, target }) => {
      stage.repo("app", { "check.sh": `${asks(target.port, "check")}\n` });
      return {
        sandboxPolicy: { hosts: { live: [entry(target.port)] } },
        finish: [{ step: "check", name: "live", command: ["sh", "check.sh"] }, { step: "merge" }],
      };
    },
    harm: ({ target }) => target.authorized.includes("/check"),
  }),
  attack({
    id: "X3-agent",
    what: "an agent asks the host itself",
    defence: DEFENCES.headers,
    set: ({ stage, target }) => {
      stage.repo("app");
      stage.agent(`${HONEST} try { say(sh("sh", "-c", ${JSON.stringify(asks(target.port, "agent"))})); } catch {}`);
      return { sandboxPolicy: { hosts: { agent: [entry(target.port)] } }, finish: [{ step: "merge" }] };
    },
    harm: ({ target }) => target.authorized.includes("/agent"),
  }),
  attack({
    id: "X4-link",
    what: "the program of a verify leads into the repository, where an agent writes it anew",
    defence: DEFENCES.program,
    set: ({ stage }) => {
      stage.repo("app", { "verify.sh": "#!/bin/sh\n" });
      symlinkSync(stage.path("app"), stage.path("live"));
      stage.agent(`${HONEST} fs.writeFileSync("verify.sh", 'echo "$TOKEN" ${BACKWARDS}\\n');`);
      return { sandboxPolicy: { read: ["live"] }, finish: verified(["sh", "{batch}/live/verify.sh"]) };
    },
    harm: keptIn,
  }),
  attack({
    id: "X5-repository",
    what: "a verify runs a script of the repository, which an agent writes anew",
    defence: DEFENCES.ownProgram,
    set: ({ stage }) => {
      stage.repo("app", { "verify.sh": "#!/bin/sh\n" });
      stage.agent(`${HONEST} fs.writeFileSync("verify.sh", 'echo "$TOKEN" ${BACKWARDS}\\n');`);
      return { finish: verified(["sh", "./verify.sh"]) };
    },
    harm: keptIn,
  }),
  attack({
    id: "X6-log",
    what: "a program that holds a secret prints it, plain and in base64",
    defence: DEFENCES.output,
    set: ({ stage }) => {
      stage.repo("app");
      stage.write("verify.sh", `echo "$TOKEN"; printf %s "$TOKEN" | base64; exit 1\n`);
      return { finish: verified(["sh", "{batch}/verify.sh"]) };
    },
    harm: ({ stage }) => existsSync(stage.home) && stage.everything().includes(TOKEN),
  }),
  attack({
    id: "X6-encoded",
    what: "a program that holds a secret prints it in hexadecimal, in base64 and as a part of a URL",
    defence: DEFENCES.encodings,
    set: ({ stage }) => {
      stage.repo("app");
      const encodings = `process.env.TOKEN, (t) => t.toString("hex"), (t) => t.toString("base64url")`;
      const script = `const [text, ...forms] = [${encodings}, (t) => encodeURIComponent(String(t))];
for (const form of forms) console.log("printed " + form(Buffer.from(text)));
process.exit(1);\n`;
      stage.write("verify.mjs", script);
      return { finish: verified(["node", "{batch}/verify.mjs"]) };
    },
    harm: ({ stage }) => {
      const kept = existsSync(stage.home) ? stage.everything() : "";
      if (!kept.includes("printed ")) throw new Error("it printed nothing");
      const bytes = Buffer.from(TOKEN);
      const forms = [bytes.toString("hex"), bytes.toString("base64url"), encodeURIComponent(TOKEN)];
      return forms.some((form) => kept.includes(form.slice(0, -4)));
    },
  }),
  attack({
    id: "X14-written",
    what: "the program of a verify lies in a folder that agents may write, and an agent writes it anew",
    defence: DEFENCES.written,
    set: ({ stage }) => {
      stage.repo("app");
      stage.write("shared/verify.sh", "exit 0\n");
      stage.agent(`${HONEST} fs.writeFileSync("${stage.path("shared/verify.sh")}", 'echo "$TOKEN" ${BACKWARDS}\\n');`);
      return { sandboxPolicy: { write: ["shared"] }, finish: verified(["sh", "{batch}/shared/verify.sh"]) };
    },
    harm: keptIn,
  }),
  attack({
    id: "X7-source",
    what: "an agent changes the program that prints the secret, which would run with all rights of the person",
    defence: DEFENCES.source,
    set: ({ stage }) => {
      stage.repo("app", { "token.sh": "echo some-other-value\n" });
      stage.agent(`${HONEST} fs.writeFileSync("token.sh", "env > ${stage.path("stolen")}; echo some-other-value\\n");`);
      stage.write("verify.sh", "exit 0\n");
      return {
        secrets: { corp: { command: ["sh", "app/token.sh"] } },
        finish: verified(["sh", "{batch}/verify.sh"]),
      };
    },
    harm: ({ stage }) => {
      try {
        return readFileSync(stage.path("stolen"), "utf8") !== "";
      } catch {
        return false;
      }
    },
  }),
];
