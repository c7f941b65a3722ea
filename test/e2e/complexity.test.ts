import { expect, test } from "vitest";
import { HONEST, Stage } from "./stage.ts";

test("an architectural change waits for a person; approved by its commit, it lands without an agent, and the report counts the classes", {
  timeout: 300_000,
}, async () => {
  using stage = new Stage();
  stage.repo("app");
  stage.agent(`if (ticket === "T-1") fs.writeFileSync("large.txt", "line\\n".repeat(501)); ${HONEST}`);
  const routes = { complex: {}, architectural: { gate: "step" } };
  const batch = stage.batch(["T-1", "T-2"], { complexity: routes });
  const { code, events } = await stage.events(batch);
  expect(code).toBe(0);
  expect(stage.landed()).toEqual(["T-2"]);
  expect(events.find(({ type }) => type === "complexity-changed")).toMatchObject({
    ticket: "T-1",
    from: "simple",
    to: "architectural",
  });
  const [gated] = (await stage.report()).tickets;
  const approve = (gated?.humanStep ?? "").split("approve it with the commit: loopdash ")[1]?.split(" ") ?? [];
  const shown = await stage.run(approve.slice(0, 4));
  expect(shown.stdout).toMatch(
    /^T-1 waits with the architectural change \(2 files\)\. It needs a person:\n- it is architectural, /,
  );
  expect(shown.stdout).toContain("+++ b/large.txt");
  expect(await stage.run(approve)).toMatchObject({ code: 0, stderr: "" });
  const again = await stage.events(batch);
  expect(again.code).toBe(0);
  expect(again.events.some(({ type }) => type === "agent-launching")).toBe(false);
  expect(stage.landed()).toEqual(["T-2", "T-1"]);
  const report = await stage.report();
  expect(report.complexity).toEqual({ trivial: 0, simple: 1, complex: 0, architectural: 1 });
  expect(report.tickets[0]?.complexity).toEqual({ class: "architectural", why: "502 lines in 2 files" });
  expect(report.interventions.byClass).toMatchObject({ I6: 1 });
});
