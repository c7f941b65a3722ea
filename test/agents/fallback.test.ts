import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { eventsOf, Stage } from "../e2e/stage.ts";
import { baseUrlOf, KIND_NAMES, KINDS, works } from "./kinds.ts";
import { programsFolder, whyWithout } from "./programs.ts";

const KEYS = { FIRST_KEY: "sk-first-0123456789abcdef", SECOND_KEY: "sk-second-0123456789abcdef" };

describe.each(KIND_NAMES)("the real %s with accounts that differ by key, by model and by address", (kind) => {
  const missing = whyWithout(kind);
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  const { standIn, models } = KINDS[kind];

  test("goes on with the next one while those before are rate limited, and shows no key", { timeout: 300_000 }, async () => {
    const limited = await standIn(() => ({ status: 429, error: "used up", headers: { "retry-after": "3600" } }));
    const free = await standIn(works(kind, "echo done > made.txt && git add -A && git commit -qm made"));
    using stage = new Stage();
    stage.repo("app");
    const batch = stage.batch(["T-1"], {
      agent: {
        ...{ kind, model: models[0], program: join(programsFolder(), "node_modules/.bin", kind), apiKeyEnv: "FIRST_KEY" },
        baseUrl: baseUrlOf(kind, limited),
        fallback: [{ apiKeyEnv: "SECOND_KEY" }, { model: models[1] }, { baseUrl: baseUrlOf(kind, free) }],
      },
      sandbox: "required",
      finish: [
        { step: "gates" },
        { step: "check", name: "made", command: ["grep", "-q", "done", "made.txt"] },
        { step: "merge" },
      ],
    });
    const { code, stdout, stderr } = await stage.run([batch, "--json"], KEYS);
    expect([code, stderr]).toEqual([0, ""]);
    const events = eventsOf(stdout);
    const switches = events.filter(({ type }) => type === "account-switched");
    expect(switches).toMatchObject([
      {
        party: "agent",
        from: 0,
        to: 1,
        name: expect.stringContaining("SECOND_KEY"),
        why: expect.stringContaining("rate limited"),
      },
      { party: "agent", from: 1, to: 2, name: expect.stringContaining(models[1]) },
      { party: "agent", from: 2, to: 3, name: expect.stringContaining(`127.0.0.1:${free.port}`) },
    ]);
    expect(events.filter(({ type }) => type === "backoff-started")).toEqual([]);
    const askedBy = (key: string, model: string) =>
      limited.seen.some(
        ({ headers, url, body }) => JSON.stringify(headers).includes(key) && `${url}${body.slice(0, 400_000)}`.includes(model),
      );
    expect(askedBy(KEYS.FIRST_KEY, models[0])).toBe(true);
    expect(askedBy(KEYS.SECOND_KEY, models[0])).toBe(true);
    expect(askedBy(KEYS.FIRST_KEY, models[1])).toBe(true);
    expect(JSON.stringify(free.seen.map(({ headers }) => headers))).toContain(KEYS.FIRST_KEY);
    for (const key of Object.values(KEYS)) expect(stdout + stage.everything()).not.toContain(key);
  });
});
