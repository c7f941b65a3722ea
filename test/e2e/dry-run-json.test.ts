import { expect, test } from "vitest";
import { stagedIn } from "./services.ts";
import { HONEST, Stage } from "./stage.ts";

/** The one document that stdout has, and nothing beside it. */
const documentOf = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
};

test("--dry-run --json prints one document: the plan, and what a start would do", async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(HONEST);
  const batch = stage.batch(["T-1", { id: "T-2", dependsOn: ["T-1"] }] as never);
  const plan = documentOf(await stage.run([batch, "--dry-run", "--json"]));
  expect(plan).toMatchObject({ ok: true, file: batch, sandbox: null, notRead: [], start: { continues: null, givesUp: null } });
  expect(plan["tickets"]).toMatchObject([
    { id: "T-1", repo: "app", dependsOn: [], layer: 1, standing: null, finish: expect.arrayContaining(["merge"]) },
    { id: "T-2", dependsOn: ["T-1"], layer: 2 },
  ]);
});

test("it says of tickets of a service what they wait for, and of an empty query that a start would be refused", async () => {
  const { stage, service, batch } = await stagedIn("linear", [[1], [2, [1]], [3]]);
  service.people.close(1);
  service.people.cancel(3);
  const { tickets } = documentOf(await stage.run([batch, "--dry-run", "--json"], service.env));
  expect(tickets).toMatchObject([
    { id: "ENG-1", layer: null, standing: { as: "done", text: "" } },
    { id: "ENG-2", layer: 1, standing: null },
    { id: "ENG-3", layer: null, standing: { as: "on hold", text: expect.stringContaining("it is canceled in Linear") } },
  ]);
  for (const number of [1, 2, 3]) service.people.remove(number);
  expect(documentOf(await stage.run([batch, "--dry-run", "--json"], service.env))).toMatchObject({
    ok: false,
    tickets: [],
    start: { refusals: [{ why: "the query of the tracker selects no tickets" }] },
  });
});
