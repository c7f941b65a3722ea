import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readOracleEvidence } from "../../../src/cli/dashboard/readers.ts";
import type { OracleEvidence } from "../../../src/domain/run/oracle-evidence.ts";
import type { RunState } from "../../../src/domain/run/state.ts";
import { RunId } from "../../../src/domain/values/ids.ts";
import { storeOf, until } from "../../components/stage.ts";
import { scratchFolder } from "../../helpers/scratch.ts";
import { plumbing } from "../../store/scenes.ts";

const folder = scratchFolder();

function write(name: string, judgedAt: number): OracleEvidence {
  const evidence = { askedAt: judgedAt - 1, judgedAt, more: 0, tickets: [] };
  mkdirSync(join(folder(), name), { recursive: true });
  writeFileSync(join(folder(), name, "evidence.json"), JSON.stringify({ version: 1, ...evidence }));
  return evidence;
}

function reading(name: () => string) {
  const run = plumbing();
  const { store, feed } = storeOf(run);
  const end = readOracleEvidence({ store, folder: () => join(folder(), name()) });
  return { run, store, feed, end, show: () => store.dispatch({ type: "view", view: "oracle" }) };
}

describe("what the oracle said of each ticket", () => {
  test("is read once its view is shown, and again after each judgement", async () => {
    const first = write("run", 1_000);
    const { run, store, feed, end, show } = reading(() => "run");
    expect(store.getState().evidence).toBeUndefined();
    show();
    await until(() => store.getState().evidence !== undefined);
    expect(store.getState().evidence).toEqual(first);
    const second = write("run", 2_000);
    const since = run.events.length;
    run.judged("not-done", { done: 3, gated: 1, open: 7 });
    for (const event of run.events.slice(since)) feed.take({ kind: "event", event });
    feed.flush();
    await until(() => store.getState().evidence?.judgedAt === 2_000);
    expect(store.getState().evidence).toEqual(second);
    end();
    feed.close();
  });

  test("is unknown again where the file is gone or another run is shown", async () => {
    write("run", 1_000);
    let name = "run";
    const { store, end, show } = reading(() => name);
    show();
    await until(() => store.getState().evidence !== undefined);
    name = "other";
    const run = store.getState().run as RunState;
    store.setState({ run: { ...run, run: RunId.parse("other-20260504-k3f9") } });
    expect(store.getState().evidence).toBeUndefined();
    write("other", 3_000);
    store.setState({ run: { ...run, run: RunId.parse("third-20260504-k3f9") } });
    await until(() => store.getState().evidence?.judgedAt === 3_000);
    end();
  });

  test("is read no more once reading has ended", async () => {
    write("run", 1_000);
    const { store, end, show } = reading(() => "run");
    end();
    show();
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.getState().evidence).toBeUndefined();
  });
});
