import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { TicketService } from "../../src/adapters/tracker/service/ticket-service.ts";
import type { TrackerState } from "../../src/domain/run/drift-fact.ts";
import type { TicketId } from "../../src/domain/values/ids.ts";
import { type Broken, play } from "./play.ts";
import type { ServiceName } from "./service-side.ts";

/** Seeds that are tried until one shows what a missing defence lets happen. */
const MOST_SEEDS = 12;

/** The first problem of this kind that runs without a defence have; undefined if none has one. */
async function firstProblem(service: ServiceName, broken: Broken, kind: RegExp): Promise<string | undefined> {
  for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
    const { problems } = await play({ service, seed, broken });
    const found = problems.find((problem) => kind.test(problem));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An adapter of which some calls are others. */
const withCalls = (change: (service: TicketService) => Partial<TicketService>): Broken => ({
  service: (service) => ({ ...service, ...change(service) }),
});

/** Each reading counts, however soon it comes after a write. */
const believing: Broken = { service: ({ writesSent: _, ...service }) => service };

/** A request to Linear without the id that loopdash has chosen for what it creates. */
function withoutIds(mutation: string): Broken {
  return {
    outgoing: (body) => {
      const { query, variables } = JSON.parse(body) as { query: string; variables?: { input?: { id?: string } } };
      if (!query.includes(mutation) || variables?.input?.id === undefined) return body;
      return JSON.stringify({ query, variables: { ...variables, input: { ...variables.input, id: randomUUID() } } });
    },
  };
}

test("a comment whose id is random is doubled, or loopdash does not know it again", async () => {
  expect(await firstProblem("linear", withoutIds("commentCreate"), /^doubled: loopdash has/)).toBeDefined();
});

test("a discovery whose id is random is doubled", async () => {
  expect(await firstProblem("linear", withoutIds("issueCreate"), /^(?:doubled|lost): the discovered/)).toBeDefined();
});

test("a comment on GitHub without its mark is doubled", async () => {
  const unmarked: Broken = { outgoing: (body) => body.replace("<!-- loopdash -->", "") };
  expect(await firstProblem("github", unmarked, /^doubled: loopdash has/)).toBeDefined();
});

test("a discovery on GitHub without its mark is doubled", async () => {
  const findMuch: Broken["plan"] = (plan) => {
    const numbers = Array.from({ length: 10 }, (_, at) => at + 1);
    return { ...plan, discoveries: new Map(numbers.map((each) => [each, { title: `Found at ${each}`, blocks: false }])) };
  };
  const unmarked: Broken = { outgoing: (body) => body.replace(/<!-- loopdash: \S+ -->/, ""), plan: findMuch };
  expect(await firstProblem("github", unmarked, /^doubled: the discovered/)).toBeDefined();
});

test("a reading that is believed at once counts acts that nobody did", async () => {
  expect(await firstProblem("linear", believing, /^counted:/)).toBeDefined();
});

/** A write that fails counts as carried out: nothing is read back, then or later. */
const trusting: Broken = {
  service: ({ writesSent: _, ...service }) => {
    const believed = new Map<TicketId, TrackerState>();
    const snapshot: TicketService["snapshot"] = async (how) => {
      const tickets = [...(await service.snapshot(how))];
      return new Map(tickets.map(([id, ticket]) => [id, { ...ticket, state: believed.get(id) ?? ticket.state }]));
    };
    const set: TicketService["set"] = async (write) => {
      try {
        return await service.set(write);
      } catch {
        const before = (await snapshot("changes")).get(write.id);
        if (before === undefined) throw new Error("there is no such ticket");
        believed.set(write.id, write.state);
        return { before, after: { ...before, state: write.state } };
      }
    };
    return { ...service, snapshot, set };
  },
};

test("a ticket is lost if a write counts without being read back", async () => {
  expect(await firstProblem("github", trusting, /^(?:lost|counted):/)).toBeDefined();
});

test("a verdict is false if moreover it is not the oracle's", async () => {
  const counts = { done: 20, gated: 0, open: 0 };
  const judgement = { verdict: "done", counts, open: [], durationMs: 1 } as const;
  const obliging: Broken = { context: () => ({ oracle: { sha: "o", judge: () => Promise.resolve(judgement) } }) };
  expect(await firstProblem("github", { ...trusting, ...obliging }, /^false verdict:/)).toBeDefined();
});

test("a person's act is overwritten if a write does not say what it replaces", async () => {
  const blind = withCalls((service) => ({ set: (write) => service.set({ ...write, from: undefined }) }));
  const context: Broken["context"] = ({ tracker }) => ({ tracker: { ...tracker, pauseMs: () => 3_600_000 } });
  const gateAll: Broken["plan"] = ({ issues, ...plan }) => {
    const acts = issues.map((_, at) => ({ at: 20_000, issue: at + 1, act: { do: "gate", step: "ask Jo" } as const }));
    return { ...plan, issues, acts, kills: [] };
  };
  const late: Broken = { ...blind, context, plan: gateAll };
  expect(await firstProblem("linear", late, /^overwritten:/)).toBeDefined();
});

test("a ticket is done too early if the adapter closes what it shows as begun", async () => {
  const eager = withCalls((service) => ({
    markStarted: async (id) => void (await service.set({ id, state: { as: "done" }, note: "begun", from: undefined })),
  }));
  expect(await firstProblem("github", eager, /^false done:/)).toBeDefined();
});

test("attempts are spent if an agent needs the tracker itself", async () => {
  const needy: Broken = {
    context: ({ agent, tracker }) => ({
      agent: {
        ...agent,
        run: async (task) => {
          const result = await agent.run(task);
          const isThere = await tracker.read().then(
            () => true,
            () => false,
          );
          return isThere ? result : { ...result, exitCode: 1 };
        },
      },
    }),
  };
  expect(await firstProblem("github", needy, /^spent:/)).toBeDefined();
});

test("work is lost, or done twice, if a journal forgets its end", async () => {
  const forgetful: Broken = { kept: (events) => events.slice(0, Math.max(1, events.length - 60)) };
  expect(await firstProblem("github", forgetful, /^(?:lost|doubled|counted|false done|an issue)/)).toBeDefined();
});
