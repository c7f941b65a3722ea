import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { planBatch, topologicalOrder } from "../../src/domain/schedule/plan.ts";
import { batch, FOUND, reading } from "./stage.ts";

const { tickets } = batch;

test("ten tickets over two repositories, in a graph with chains, joins and an edge between the repositories", () => {
  expect(tickets).toHaveLength(10);
  expect(new Set(tickets.map((ticket) => ticket.repo))).toEqual(new Set(["shop", "infra"]));
  const { dependents } = planBatch(tickets, {});
  expect(topologicalOrder(tickets, dependents)).toHaveLength(10);
  expect(tickets.filter((ticket) => ticket.dependsOn.length >= 2).length).toBeGreaterThanOrEqual(2);
  const repoOf = (id: string) => tickets.find((ticket) => ticket.id === id)?.repo;
  expect(tickets.some((ticket) => ticket.dependsOn.some((dep) => repoOf(dep) !== ticket.repo))).toBe(true);
});

test("the two tickets that end at somebody else's door hold the same resource, and nothing waits for them", () => {
  const held = tickets.filter((ticket) => ticket.exclusive.includes("production accounts"));
  expect(held.map(({ id }) => id)).toEqual(["SHOP-5", "INFRA-3"]);
  for (const { id } of held) expect(tickets.filter((ticket) => ticket.dependsOn.includes(id))).toEqual([]);
});

test("loopdash reads it without a problem or a warning, and the agent and the repositories are beside it", () => {
  const root = resolve(import.meta.dirname, "../..");
  expect(reading).toMatchObject({ ok: true, warnings: [] });
  const { agent } = batch;
  expect(agent.kind === "command" && existsSync(resolve(root, agent.command[1] ?? ""))).toBe(true);
  expect(batch.repos).toMatchObject({
    shop: { path: resolve(root, "example/workspace/shop") },
    infra: { path: resolve(root, "example/workspace/infra") },
  });
});

test("the ticket that the scripted person closes says so in its title, and nothing waits for it", () => {
  expect(tickets.filter(({ title }) => /\bscripted\b/i.test(title)).map(({ id }) => id)).toEqual(["SHOP-6"]);
  expect(tickets.filter((ticket) => ticket.dependsOn.some((dep) => dep === "SHOP-6"))).toEqual([]);
});

test("every ticket has a script, also those that are found on the way, and no other script is there", () => {
  const example = resolve(import.meta.dirname, "../../example");
  const ofForge = readdirSync(join(example, "forge/tickets")).map((name) => name.replace(/\.md$/, ""));
  expect(ofForge).toEqual(["SHOP-7"]);
  const ids = [...tickets.map(({ id }) => id), ...Object.keys(FOUND), ...ofForge];
  expect(readdirSync(join(example, "scripts")).toSorted()).toEqual(ids.map((id) => `${id}.mjs`).toSorted());
});
