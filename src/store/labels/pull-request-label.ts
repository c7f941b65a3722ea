import { type ForgeRequest, type ForgeRequestFact, requestNote } from "../../domain/forge/forge-request.ts";
import type { PullRequestFact, RerunCategory, SeenPullRequest } from "../../domain/forge/pull-request-fact.ts";
import { firstFewLine, plural } from "../../domain/values/text.ts";
import { formatElapsed } from "../format.ts";
import { type EventLabel, STYLES } from "./tone.ts";

/** The line of the feed for a fact about a pull request. Undefined if it is not worth one. */
export function pullRequestLabel(fact: PullRequestFact & { readonly at?: number }): EventLabel | undefined {
  switch (fact.type) {
    case "pull-request-intended":
      return undefined;
    case "pull-request-opened":
      return [STYLES.step, `pull request #${fact.number}`];
    case "pull-request-read":
      return [STYLES.heldUp, checksLine(fact)];
    case "pull-request-merging":
      return [STYLES.step, `asks to merge pull request #${fact.number}`];
    case "pull-request-rerun":
      return [STYLES.again, `re-run once: ${[firstFewLine([...fact.names], 4), ...rerunReason(fact.category)].join("; ")}`];
    case "pull-request-words":
      return [STYLES.needsYou, remarksLine(fact)];
    case "pull-request-gated":
      return [STYLES.needsYou, fact.step];
  }
}

/** Why checks are started again, if it is known. */
export function rerunReason(category: RerunCategory | undefined): readonly string[] {
  return category === undefined ? [] : [RERUN_REASONS[category]];
}

const RERUN_REASONS: Readonly<Record<RerunCategory, string>> = {
  flaky: "flaky, on the base, too",
  infrastructure: "infrastructure: a machine or a registry failed",
};

/** The line of the feed for a person's request to the forge; undefined while it is asked. */
export function forgeRequestLabel(fact: ForgeRequestFact): EventLabel | undefined {
  if (fact.type === "forge-request-started") return undefined;
  const { number, request, problem } = fact;
  if (problem !== undefined) return [STYLES.failed, `${wanted(request)} of #${number}: not done: ${problem}`];
  return [STYLES.person, `a person ${requestNote(request)}: pull request #${number}`];
}

/** The reason why a person's request to the forge was not fulfilled; undefined for any other fact. */
export function forgeRefusal(fact: ForgeRequestFact): string | undefined {
  return fact.type === "forge-request-ended" ? fact.problem : undefined;
}

function wanted(request: ForgeRequest): string {
  return request.kind === "rerun" ? "another run of failed checks" : `a review by ${request.login}`;
}

function remarksLine({ ids, people }: Extract<PullRequestFact, { type: "pull-request-words" }>): string {
  const said = `pull request: ${plural(ids.length, "remark")} for the next attempt`;
  return people === 0 ? said : `${said}; intervention (harness) observed: ${people} of them by people`;
}

/** The states of checks and what the pull request waits for, in one line. */
export function checksLine({ checks, waits, waitsOn, waitsUntil, at }: SeenPullRequest & { readonly at?: number }): string {
  const named = (state: SeenPullRequest["checks"][number]["state"]): readonly string[] =>
    checks.flatMap((check) => (check.state === state ? [check.name] : []));
  const parts = (["failed", "running", "waiting", "passed"] as const).flatMap((state) => {
    const names = named(state);
    return names.length === 0 ? [] : [`${state}: ${firstFewLine(names, 4)}`];
  });
  const said = parts.length === 0 ? "no checks yet" : parts.join("; ");
  const open = checks.filter(({ state }) => state === "running" || state === "waiting");
  const isNamed = waitsOn === "checks" && open.every(({ isRequired }) => isRequired !== false);
  const left = waitsUntil === undefined || at === undefined ? "" : `, for ${formatElapsed(waitsUntil - at)} at most`;
  return waits === undefined || isNamed ? said : `${said}; ${waits}${left}`;
}
