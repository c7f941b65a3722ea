import { describe, expect, test } from "vitest";
import { eventsOf, HONEST, Stage } from "../e2e/stage.ts";
import { allAreas, type Shape } from "./shape.ts";

/** The check sees the agent's file, and what was there before. */
const FINISH = [
  { step: "gates" },
  { step: "check", name: "tests", command: ["sh", "-c", "test -s T-1.txt"] },
  { step: "merge" },
  { step: "assert" },
];

async function arranged(stage: Stage, shape: Shape) {
  const { over, env = {}, agent = HONEST } = (await shape.arrange(stage)) ?? {};
  stage.agent(agent);
  const batch = stage.batch(["T-1"], { sandbox: "required", finish: FINISH, limits: { attempts: 1 }, ...over });
  return { batch, env };
}

for (const { title, shapes } of await allAreas())
  describe(title, () => {
    test.each(shapes)("$shape", async (shape) => {
      using stage = new Stage();
      const { batch, env } = await arranged(stage, shape);
      const plan = await stage.run([batch, "--dry-run"], env);
      const ended = await stage.run([batch, "--json"], env);
      const said = `${plan.stderr}${ended.stdout}${ended.stderr}`;
      if (shape.holds === "works") {
        expect([plan.code, ended.code], said).toEqual([0, 0]);
        expect(stage.landed()).toEqual(["T-1"]);
        await shape.verify?.(stage, ended);
        return;
      }
      const { refused } = shape.holds;
      for (const { code, stdout, stderr } of [plan, ended]) {
        expect(code, said).toBeGreaterThan(0);
        expect(`${stdout}${stderr}`.replaceAll(stage.root, "…")).toContain(refused);
        expect(eventsOf(stdout.startsWith("{") ? stdout : "").filter(({ type }) => type === "agent-launching")).toEqual([]);
      }
    });
  });
