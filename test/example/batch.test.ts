import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readBatch } from "../../src/domain/batch/read.ts";
import type { Ticket } from "../../src/domain/batch/schema.ts";
import { planOf, topologicalOrder } from "../../src/domain/plan.ts";
import { batch } from "./stage.ts";

const tickets: readonly Ticket[] = batch.tickets.map((ticket) => {
  if (ticket.repo === undefined || ticket.title === undefined) throw new Error(`${ticket.id} lacks a repo or a title`);
  return { ...ticket, repo: ticket.repo, title: ticket.title, finish: batch.finish ?? [] };
});

test("eleven tickets over two repositories, in a graph with chains, joins and an edge between the repositories", () => {
  expect(tickets).toHaveLength(11);
  expect(new Set(tickets.map((ticket) => ticket.repo))).toEqual(new Set(["shop", "infra"]));
  const { dependents } = planOf(tickets, {});
  expect(topologicalOrder(tickets, dependents)).toHaveLength(11);
  expect(tickets.filter((ticket) => ticket.dependsOn.length >= 2).length).toBeGreaterThanOrEqual(2);
  const repoOf = (id: string) => tickets.find((ticket) => ticket.id === id)?.repo;
  expect(tickets.some((ticket) => ticket.dependsOn.some((dep) => repoOf(dep) !== ticket.repo))).toBe(true);
});

test("two tickets that are ready at once hold the same resource", () => {
  const atStart = tickets.filter((ticket) => ticket.dependsOn.length === 0);
  expect(atStart.filter((ticket) => ticket.exclusive.includes("staging"))).toHaveLength(2);
  expect(atStart.length).toBeLessThanOrEqual(batch.limits.workers);
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

test("every ticket has a script", () => {
  for (const { id } of tickets)
    expect(existsSync(resolve(import.meta.dirname, `../../example/scripts/${id}.mjs`)), id).toBe(true);
});
