import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { StandIn } from "../../packages/model-gateway/test/stage.ts";
import { BATCHES, type BatchExample, wholeText } from "../docs/examples.ts";
import { Stage } from "../e2e/stage.ts";
import { baseUrlOf, KINDS, type KindName, works } from "./kinds.ts";
import { programsFolder, whyWithout } from "./programs.ts";
import type { Script } from "./stand-in.ts";

/** An agent or a reviewer as an example names it. */
interface Spec {
  readonly kind: KindName;
  readonly apiKeyEnv: string;
  readonly billing?: string;
  readonly fallback?: readonly { readonly apiKeyEnv?: string }[];
}

/** What a part of a batch is merged into. */
const BASE = { name: "part", repos: { app: { path: "../app" } }, tickets: [{ id: "T-1", title: "Follow the page" }] };

const SPECS = ["agent", "reviewer", "secondReviewer"] as const;
/** docs/use/models.md has a stand-in of its own for each batch: models-page.test.ts. Subscriptions need a login: login-batch.test.ts. */
const RUN = BATCHES.filter(
  ({ isVendors, page, batch }) =>
    isVendors &&
    page !== "docs/use/models.md" &&
    !SPECS.some((who) => (batch[who] as Spec | undefined)?.billing === "subscription"),
);

function specsOf({ batch }: BatchExample): readonly (readonly [(typeof SPECS)[number], Spec])[] {
  return SPECS.flatMap((who) => (batch[who] === undefined ? [] : [[who, batch[who] as Spec] as const]));
}

/** Finds nothing wrong, whatever it is asked about. */
const approves: Script = (_, asked) => {
  const [, nonce] = /LOOPDASH ANSWER BEGIN (\w{32})/.exec(asked) ?? [];
  const [, tree] = /It is commit (\w{40})/.exec(asked) ?? [];
  const attack = { tried: ["each command twice"], broken: false };
  const review = { findings: [], verdict: "pass" };
  const answer = JSON.stringify({ nonce, tree, ...(/\\?"tried\\?"/.test(asked) ? attack : review) });
  return { say: `LOOPDASH ANSWER BEGIN ${nonce}\n${answer}\nLOOPDASH ANSWER END ${nonce}`, usage: { input: 2_000, output: 200 } };
};

/** The stand-in of an API that an agent or reviewer uses. */
async function apiOf(who: (typeof SPECS)[number], kind: KindName): Promise<StandIn> {
  const script = who === "agent" ? works(kind, "date +%N >> made.txt && git add -A && git commit -qm made") : approves;
  const api = await KINDS[kind].standIn(script);
  onTestFinished(() => api.close());
  return api;
}

/** The text with the program that these tests install, and a loopback stand-in in the place of the API that it names. */
function onLoopback(text: string, { kind }: Spec, api: StandIn): string {
  const program = join(programsFolder(), "node_modules/.bin", kind);
  const own = `"program": ${JSON.stringify(program)}, "baseUrl": ${JSON.stringify(baseUrlOf(kind, api))}`;
  return text.replace(new RegExp(`"kind": "${kind}"(?:([^}]*?), "baseUrl": "[^"]*")?`), `"kind": "${kind}"$1, ${own}`);
}

describe("every example of the pages with a vendor's program", () => {
  const missing = [...new Set(RUN.flatMap(specsOf).map(([, { kind }]) => kind))].map((kind) => whyWithout(kind)).find(Boolean);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.each(RUN.map((example) => [example.page, example.name, example] as const))(
    "in %s runs to done: %s",
    { timeout: 240_000 },
    async (_, __, example) => {
      using stage = new Stage();
      stage.repo("app", {
        "package.json": JSON.stringify({ name: "app", version: "1.0.0", scripts: { test: "node --test", smoke: "node -e 0" } }),
        "package-lock.json": '{"name": "app", "lockfileVersion": 3, "packages": {}}\n',
        "test/works.test.mjs": 'import test from "node:test"; test("works", () => {});\n',
      });
      const specs = specsOf(example);
      const env = Object.fromEntries(
        specs.flatMap(([, { apiKeyEnv, fallback = [] }]) =>
          [apiKeyEnv, ...fallback.flatMap((account) => account.apiKeyEnv ?? [])].map((name) => [
            name,
            `sk-of-${name}-0123456789`,
          ]),
        ),
      );
      let text = wholeText(example, BASE);
      const apis: StandIn[] = [];
      for (const [who, spec] of specs) {
        const api = await apiOf(who, spec.kind);
        apis.push(api);
        text = onLoopback(text, spec, api);
      }
      const { code, stdout, stderr } = await stage.run([stage.write("batches/batch.json", text), "--headless"], env);
      expect(code, `${stdout}${stderr}`).toBe(0);
      for (const { seen } of apis) expect(seen.length).toBeGreaterThan(0);
      for (const key of Object.values(env)) expect(stdout + stage.everything()).not.toContain(key);
    },
  );

  test("are found", () => {
    expect(RUN.map(({ page }) => page)).toEqual(
      expect.arrayContaining([
        "README.md",
        "docs/use/agents.md",
        "docs/use/batch-file.md",
        "docs/use/reviewer.md",
        "docs/use/stops.md",
      ]),
    );
  });
});
