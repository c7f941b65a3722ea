import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readBatch } from "../../src/domain/batch/read.ts";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import { planOf, topologicalOrder } from "../../src/domain/schedule/plan.ts";
import { batch, FOUND } from "./stage.ts";

const tickets: readonly Ticket[] = batch.tickets.map((ticket) => {
  if (ticket.repo === undefined || ticket.title === undefined) throw new Error(`${ticket.id} lacks a repo or a title`);
  return { ...ticket, repo: ticket.repo, title: ticket.title, finish: batch.finish ?? [] };
});

test("eight tickets over two repositories, in a graph with chains, joins and an edge between the repositories", () => {
  expect(tickets).toHaveLength(8);
  expect(new Set(tickets.map((ticket) => ticket.repo))).toEqual(new Set(["shop", "infra"]));
  const { dependents } = planOf(tickets, {});
  expect(topologicalOrder(tickets, dependents)).toHaveLength(8);
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
  const reading = readBatch(readFileSync(resolve(root, "batch.example.json"), "utf8"), { folder: root });
  if (!reading.ok) throw new Error(reading.problems.map((problem) => problem.message).join("\n"));
  expect(reading.warnings).toEqual([]);
  const { agent } = reading.batch;
  expect(agent.kind === "command" && existsSync(resolve(root, agent.command[1] ?? ""))).toBe(true);
  expect(reading.batch.repos).toMatchObject({
    shop: { path: resolve(root, "example/workspace/shop") },
    infra: { path: resolve(root, "example/workspace/infra") },
  });
});

test("every ticket has a script, also those that are found on the way, and no other script is there", () => {
  const scripts = readdirSync(resolve(import.meta.dirname, "../../example/scripts"));
  expect(scripts.toSorted()).toEqual([...tickets.map(({ id }) => id), ...Object.keys(FOUND)].map((id) => `${id}.mjs`).toSorted());
});
