import { type HarnessChange, readChanges, writeChange } from "../../adapters/harness/harness-folder.ts";
import { plainText, plural } from "../../domain/values/text.ts";
import { formatUtc } from "../../domain/values/time.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { visibleText } from "../../domain/values/visible-text.ts";
import { liveRun } from "../find-run.ts";
import { writeAll } from "../print.ts";
import type { Request } from "../program.ts";
import { type StateHome, stateHome } from "../state-home.ts";

type HarnessRequest = Extract<Request, { verb: "harness" }>;

/** Shows what heals have added to the harness of later runs, and lets a person decide on it. */
export async function harness({ act, changes: names, json, everywhere }: HarnessRequest): Promise<number> {
  const home = stateHome(process.env, process.cwd());
  const { changes, unreadable } = await readChanges(home.harness);
  for (const { file, why } of unreadable) process.emitWarning(`${plainText(file)} cannot be used: ${why}`);
  if (act === "log") return show(changes, { json, lines: logLines(changes) });
  if (act === "diff") {
    const chosen = names.length === 0 ? changes.filter(isOpen) : choose(changes, names);
    return show(chosen, { json, lines: chosen.length === 0 ? [noneOpen(changes.length)] : chosen.flatMap(diffLines) });
  }
  refuseWhileHeld(home);
  const state = act === "revert" ? "reverted" : everywhere ? "everywhere" : "kept";
  const chosen = decided(changes, { act, names });
  for (const change of chosen) await writeChange(home.harness, { ...change, state });
  const after = chosen.map((change): HarnessChange => ({ ...change, state }));
  return show(after, { json, lines: after.map((change) => `${change.id}  ${STATES[state](change)}`) });
}

const STATES: Readonly<Record<HarnessChange["state"], (change: Pick<HarnessChange, "repository">) => string>> = {
  kept: ({ repository }) => `kept: later runs on ${repository.name} begin with it`,
  waiting: () => "waits for you: loopdash harness keep",
  everywhere: () => "kept: later runs on every repository begin with it",
  reverted: () => "reverted: no later run begins with it",
};

function isOpen({ state }: HarnessChange): boolean {
  return state !== "reverted";
}

function noneOpen(recorded: number): string {
  const name = recorded === 0 ? "" : "; loopdash harness log names those that were reverted, and diff NAME shows one";
  return `no change of the harness is in use or waits for you${name}`;
}

/** The changes that a person decides on. Without a name, `keep` takes all that wait; `revert` takes none by itself. */
function decided(
  changes: readonly HarnessChange[],
  { act, names }: { readonly act: "keep" | "revert"; readonly names: readonly string[] },
): readonly HarnessChange[] {
  if (names.length > 0) return choose(changes, names);
  const waiting = changes.filter(({ state }) => state === "waiting");
  if (act === "keep" && waiting.length > 0) return waiting;
  throw new UserError({
    what: act === "keep" ? "no change of the harness waits for you" : "no change is named",
    why:
      act === "keep"
        ? `${plural(changes.length, "change is", "changes are")} recorded, and none of them waits`
        : "a change is reverted by its name",
    todo: "See: loopdash harness log",
    exitCode: EXIT.usage,
  });
}

function choose(changes: readonly HarnessChange[], names: readonly string[]): readonly HarnessChange[] {
  return names.map((name) => {
    const found = changes.find(({ id }) => id === name) ?? only(changes.filter(({ id }) => id.startsWith(name)));
    if (found !== undefined) return found;
    throw new UserError({
      what: `cannot find the change "${plainText(name, 120)}" of the harness`,
      why: "no change has this name, or more than one begins with it",
      todo: "See: loopdash harness log",
      exitCode: EXIT.usage,
    });
  });
}

function only<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

/** A run that is going may record a change itself, and its screen says what waits. */
function refuseWhileHeld(home: StateHome): void {
  const run = liveRun(home);
  if (run === undefined) return;
  throw new UserError({
    what: "the harness cannot be changed now",
    why: `the run ${run} is using it`,
    todo: "Try again once it has ended. log and diff work meanwhile.",
    exitCode: EXIT.refused,
  });
}

function show(
  changes: readonly HarnessChange[],
  { json, lines }: { readonly json: boolean; readonly lines: readonly string[] },
): number {
  const text = json ? JSON.stringify(changes, undefined, 2) : lines.map((line) => plainText(line)).join("\n");
  if (text !== "") writeAll(1, `${text}\n`);
  return 0;
}

function logLines(changes: readonly HarnessChange[]): readonly string[] {
  if (changes.length === 0) return ["no heal has changed the harness of later runs"];
  return changes
    .toReversed()
    .flatMap((change) => [
      `${change.id}  ${formatUtc(change.at)}  ${change.repository.name}  ${STATES[change.state](change)}`,
      `  cause: ${change.rootCause}`,
      `  change: ${change.change}`,
      `  files: ${change.files.map(({ path }) => path).join(", ")} · predicted ${change.prediction.join(", ")} · moved ${change.moved.join(", ")}`,
    ]);
}

/** A change file by file: removed and added lines, after the lines that both versions begin with. */
function diffLines({ id, files }: HarnessChange): readonly string[] {
  return [`${id}:`, ...files.flatMap(({ path, before, after }) => [`--- ${path}`, ...changedLines(before ?? "", after ?? "")])];
}

function changedLines(before: string, after: string): readonly string[] {
  const [old, next] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < next.length - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  return [
    `@@ line ${head + 1} @@`,
    ...old.slice(head, old.length - tail).map((line) => `-${visibleText(line)}`),
    ...next.slice(head, next.length - tail).map((line) => `+${visibleText(line)}`),
  ];
}
