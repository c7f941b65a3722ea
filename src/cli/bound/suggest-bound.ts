import { realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPlainFile } from "../../adapters/plain-file.ts";
import { pastCommits } from "../../adapters/vcs/bound/past-commits.ts";
import { mustGit, runGit } from "../../adapters/vcs/git/run-git.ts";
import { BOUND_FILE } from "../../domain/bound/bound.ts";
import { parseBound } from "../../domain/bound/parse-bound.ts";
import { parseCodeowners, type SuggestedZone, suggestZones } from "../../domain/bound/suggest-zones.ts";
import { withZones } from "../../domain/bound/write-zones.ts";
import { jsonText, plainText, plural } from "../../domain/values/text.ts";
import { EXIT } from "../../domain/values/user-error.ts";
import { writeAll } from "../print.ts";
import { usageError } from "../usage-error.ts";
import { type BoundPlace, findBoundPlace, rulesOf, shownBase, unreadableRules } from "./check-bound.ts";
import type { BoundFlags } from "./flags.ts";

/** Bytes of the checkout's file at most. */
const MOST_BYTES = 1_000_000;

/** Commits that are looked at. */
const MOST_COMMITS = 2_000;

/** The paths at which GitHub and GitLab look for it, in their order. */
const CODEOWNERS = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];

/** `loopdash bound suggest`: zones with their evidence. Writes to the checkout only what a person accepts, by number. */
export async function suggestBound({ repo, base, accept, json }: BoundFlags): Promise<number> {
  const place = await findBoundPlace({ repo, base });
  const { bound } = await rulesOf(place);
  const history = await pastCommits(place, { commit: place.baseSha, most: MOST_COMMITS });
  const owned = parseCodeowners(await codeowners(place));
  const zones = suggestZones(history, owned, bound.zones);
  if (accept !== undefined) return acceptZones(place, zones, accept);
  const numbered = zones.map((zone, i) => ({ n: i + 1, ...zone }));
  if (json === true) writeAll(1, jsonText({ base: shownBase(place), commits: history.length, suggestions: numbered }));
  else writeAll(1, `${linesOf(numbered, { base: shownBase(place), commits: history.length }).join("\n")}\n`);
  return EXIT.done;
}

async function codeowners({ top, gitDir, baseSha }: BoundPlace): Promise<string> {
  for (const path of CODEOWNERS) {
    const { status } = await runGit(top, { gitDir, args: ["cat-file", "-e", `${baseSha}:${path}`] });
    if (status === 0) return mustGit(top, { gitDir, args: ["cat-file", "blob", `${baseSha}:${path}`] });
  }
  return "";
}

type Numbered = SuggestedZone & { readonly n: number };

function linesOf(
  zones: readonly Numbered[],
  { base, commits }: { readonly base: string; readonly commits: number },
): readonly string[] {
  if (zones.length === 0) return [`nothing stands out in ${plural(commits, "commit")} of ${base}`];
  return [
    `${plural(zones.length, "zone")} for ${BOUND_FILE}, by ${plural(commits, "commit")} of ${base}; nothing is written`,
    ...zones.flatMap(({ n, path, evidence }) => [
      plainText(`${String(n).padStart(2)}  ${path}`, 300),
      ...evidence.map(({ text, commits: shas }) =>
        plainText(`      ${text}${shas.length === 0 ? "" : ` (${shas.join(", ")})`}`, 300),
      ),
    ]),
    "Accept some: loopdash bound suggest --accept 1 2",
  ];
}

async function acceptZones(place: BoundPlace, zones: readonly SuggestedZone[], accept: readonly number[]): Promise<number> {
  const chosen = [...new Set(accept)].map((n) => {
    const zone = zones[n - 1];
    if (zone !== undefined) return zone;
    const why = zones.length === 0 ? "there is no suggestion" : `there are ${plural(zones.length, "suggestion")}`;
    throw usageError(`there is no suggestion ${n}`, why, "See: loopdash bound suggest");
  });
  const before = await readPlainFile(await realpath(place.top), BOUND_FILE, MOST_BYTES);
  if (before?.ok === false)
    throw usageError(`${BOUND_FILE} in your checkout cannot be used`, `it ${before.why}`, "Mend it first.");
  const after = withZones(
    before?.text,
    chosen.map(({ path, evidence }) => ({ path, why: evidence.map(({ text }) => text).join("; ") })),
  );
  const parsed = parseBound(after);
  if (!parsed.ok) throw unreadableRules(parsed.problems, "your checkout");
  await writeFile(join(place.top, BOUND_FILE), after);
  const names = chosen.map(({ path }) => plainText(path, 200)).join(", ");
  writeAll(
    1,
    `${BOUND_FILE} has ${plural(chosen.length, "new zone")}: ${names}\nCommit it on ${shownBase(place)}: it counts from there.\n`,
  );
  return EXIT.done;
}
