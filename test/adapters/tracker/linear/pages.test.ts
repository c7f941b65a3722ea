import { describe, expect, test } from "vitest";
import { uuidOf } from "../../../stand-ins/linear/model.ts";
import { aWorld, id, Stage } from "./stage.ts";

const TRASH = { trashed: true, archivedAt: "2026-11-26T13:00:00.000Z" };

describe("pages that change while they are read", () => {
  test("are read again until they are of one instant", async () => {
    const stage = await Stage.open({ world: aWorld(250) });
    let acts = 0;
    stage.standIn.before = ({ name, variables }) => {
      if (name !== "LoopdashIssues" || variables["after"] === undefined || (acts += 1) > 1) return;
      // Between two pages, a ticket that was read is closed, one is trashed, and one is new.
      const first = stage.standIn.world.issues.toSorted((a, b) => a.id.localeCompare(b.id));
      stage.standIn.people.updateIssue(first[0]?.id ?? "", { stateId: uuidOf("state ENG Done") }, { actor: null });
      stage.standIn.people.updateIssue(first[1]?.id ?? "", TRASH, { actor: null });
      stage.standIn.people.createIssue({ teamId: uuidOf("team ENG"), title: "New" });
    };
    const tickets = await stage.service().snapshot("whole");
    expect(tickets.size).toBe(250);
    expect([...tickets.values()].filter(({ state }) => state.as === "done")).toHaveLength(1);
    expect(tickets.get(id("ENG-251"))?.title).toBe("New");
  });

  test("are refused if they change again and again", async () => {
    const stage = await Stage.open({ world: aWorld(120) });
    stage.standIn.before = ({ name }) => {
      if (name === "LoopdashStamps")
        stage.standIn.people.updateIssue(stage.issue("ENG-5").id, { title: "Other" }, { actor: null });
    };
    await expect(stage.service().snapshot("whole")).rejects.toThrow(
      "Linear's issues changed while they were read, 3 times in a row",
    );
  });

  test.each([
    ["come twice", (nodes: unknown[]) => [...nodes, ...nodes]],
    ["come in another order", (nodes: unknown[]) => nodes.toReversed()],
    ["lack some", (nodes: unknown[]) => nodes.slice(3)],
  ])("lose and double no ticket if they %s", async (_, change) => {
    const stage = await Stage.open({ world: aWorld(120) });
    let pages = 0;
    stage.standIn.tamper = (data, { name }) => {
      if (name !== "LoopdashIssues" || (pages += 1) > 2) return data;
      const { issues } = (data as { data: { issues: { nodes: unknown[] } } }).data;
      return { data: { issues: { ...issues, nodes: change(issues.nodes) } } };
    };
    expect((await stage.service().snapshot("whole")).size).toBe(120);
  });

  describe("that tell of an issue twice", () => {
    type Node = { readonly identifier: string; readonly title: string; readonly updatedAt: string };
    /** Adds to the first answers what `change` makes of ENG-1. */
    const aStage = async (change: (node: Node) => Node, { times, where }: { times: number; where: "first" | "last" }) => {
      const stage = await Stage.open();
      let answers = 0;
      stage.standIn.tamper = (data, { name }) => {
        if (name !== "LoopdashIssues" || (answers += 1) > times) return data;
        const { issues } = (data as { data: { issues: { nodes: Node[] } } }).data;
        const copies = issues.nodes.filter(({ identifier }) => identifier === "ENG-1").map(change);
        const nodes = where === "first" ? [...copies, ...issues.nodes] : [...issues.nodes, ...copies];
        return { data: { issues: { ...issues, nodes } } };
      };
      return stage;
    };
    const older = (node: Node): Node => ({ ...node, title: "Before", updatedAt: "2026-11-25T12:00:00.000Z" });
    const newer = (node: Node): Node => ({ ...node, title: "Changed", updatedAt: "2026-11-27T12:00:00.000Z" });
    const other = (node: Node): Node => ({ ...node, title: "Other" });

    test.each(["first", "last"] as const)("are taken at the newest word, if that comes %s or not", async (where) => {
      const titleOf = async (change: (node: Node) => Node) =>
        (await (await aStage(change, { times: 1, where })).service().snapshot("whole")).get(id("ENG-1"))?.title;
      expect(await titleOf(older)).toBe("Title of ENG-1");
      expect(await titleOf(newer)).toBe("Changed");
    });

    test("are read again if both words are of the same time", async () => {
      const stage = await aStage(other, { times: 2, where: "last" });
      expect((await stage.service().snapshot("whole")).get(id("ENG-1"))?.title).toBe("Title of ENG-1");
      expect(stage.standIn.asked().filter((name) => name === "LoopdashIssues")).toHaveLength(3);
    });

    test("are refused if that happens again and again", async () => {
      const stage = await aStage(other, { times: 9, where: "last" });
      await expect(stage.service().snapshot("whole")).rejects.toThrow("changed while they were read, 3 times in a row");
    });
  });

  test("that lead in a circle are an error", async () => {
    const stage = await Stage.open();
    stage.standIn.tamper = (data, { name }) => {
      if (name !== "LoopdashIssues") return data;
      const { issues } = (data as { data: { issues: object } }).data;
      return { data: { issues: { ...issues, pageInfo: { hasNextPage: true, endCursor: "here" } } } };
    };
    await expect(stage.service().snapshot("whole")).rejects.toThrow(/its pages lead in a circle/);
  });
});
