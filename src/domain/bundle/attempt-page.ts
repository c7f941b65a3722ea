import { fence } from "@loopdash/values";
import { PARTY_NAMES, reviewerParty } from "../batch/party.ts";
import type { Ticket } from "../batch/schema.ts";
import { escapeMarkdown } from "../values/markdown.ts";
import { boundedHead, plural } from "../values/text.ts";
import { formatDuration, formatUtc } from "../values/time.ts";
import type { AttemptBundle } from "./attempt-bundle.ts";
import type { BundleFile } from "./bundle.ts";

/** Characters of a ticket's body that are shown. */
const BODY_CHARS = 4_000;

/** The `bundle.md` of an attempt, for people. Outside text is escaped, or in a block that it cannot close. */
export function attemptPage(bundle: AttemptBundle, { body }: Pick<Ticket, "body">): string {
  const { title, ticket, attempt, run, batch, outcome, why } = bundle;
  const times = [bundle.startedAt, bundle.endedAt].map((text) => Date.parse(text)) as [number, number];
  const parts = [
    `# ${escapeMarkdown(ticket)}, attempt ${attempt}: ${outcome}`,
    `Run \`${run}\`, batch ${escapeMarkdown(batch)}. From ${formatUtc(times[0])} to ${formatUtc(times[1])} (${formatDuration(times[1] - times[0])}).`,
    ...(why === "" ? [] : [`Why it ended: ${escapeMarkdown(why)}`]),
    "## What was asked",
    `**${escapeMarkdown(title)}**`,
    ...(body === "" ? [] : [fence(boundedHead(body, BODY_CHARS)).trimEnd()]),
    "## What happened",
    list(whatHappened(bundle)),
    "## Verdicts",
    verdicts(bundle),
    "## Cost",
    list([
      `agent: ${dollars(bundle.costUsd.agent)}`,
      `reviewer: ${dollars(bundle.costUsd.reviewer)}`,
      `all of it: ${dollars(bundle.costUsd.total)}`,
    ]),
    "## Files",
    fileTable(bundle.files),
    ...(bundle.leftOut.length === 0
      ? []
      : [
          "Not listed:",
          list(bundle.leftOut.map(({ path, why: reason }) => `${escapeMarkdown(path)}: ${escapeMarkdown(reason)}`)),
        ]),
    "`bundle.json` has the same for programs. The journal of the run names its sha256: `loopdash verify-journal` compares them.",
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Files of a bundle as a table of Markdown. */
export function fileTable(files: readonly BundleFile[]): string {
  const rows = files.map(
    ({ path, description, bytes, sha256 }) =>
      `| ${escapeMarkdown(path)} | ${escapeMarkdown(description)} | ${bytes} | \`${sha256}\` |`,
  );
  return ["| file | description | bytes | sha256 |", "|---|---|---|---|", ...rows].join("\n");
}

function whatHappened({ agent, change, landed, pullRequest, keptWork, reviewer }: AttemptBundle): readonly string[] {
  return [
    ...(agent === null ? ["No agent ran."] : [agentLine(agent)]),
    ...(change === null
      ? []
      : [`The change: ${plural(change.files, "file")}, +${change.additions} -${change.deletions}, commit \`${change.tip}\`.`]),
    ...reviewer.map(({ by, question, counts, says, canary }) => {
      const about = canary === undefined ? question : `${question}, a planted defect: ${canary}`;
      return `The ${PARTY_NAMES[reviewerParty({ by })]} (${about})${counts ? "" : ", no answer that counts"}: ${escapeMarkdown(says)}`;
    }),
    ...(pullRequest === null ? [] : [`Pull request #${pullRequest.number}: <${pullRequest.url.replace(/[<>\s]/g, "")}>`]),
    ...landed.map(({ repo, to }) => `It landed in ${escapeMarkdown(repo)} as \`${to}\`.`),
    ...(keptWork === null ? [] : [`Its work is kept on ${escapeMarkdown(keptWork.branch)}.`]),
  ];
}

function agentLine({ ending, exitCode, claimedDone }: NonNullable<AttemptBundle["agent"]>): string {
  const code = exitCode === null ? "" : `, exit ${exitCode}`;
  return `The agent ended: ${ending}${code}. ${claimedDone ? "It claims to be done, which proves nothing." : "It does not claim to be done."}`;
}

function verdicts({ steps }: AttemptBundle): string {
  if (steps.length === 0) return "No step of the finish line ran.";
  const rows = steps.map(({ step, kind, verdict, why, seconds }) => {
    const name = step === kind ? kind : `${kind} ${step}`;
    return `| ${escapeMarkdown(name)} | ${verdict} | ${escapeMarkdown(why)} | ${seconds === null ? "" : `${seconds.toFixed(1)} s`} |`;
  });
  return ["| step | verdict | why | time |", "|---|---|---|---|", ...rows].join("\n");
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

function dollars(usd: number): string {
  return `$ ${usd.toFixed(2)}`;
}
