import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { InstalledHook } from "@loopdash/guard";
import { AUDIT_EVENTS, HOOK_VENDORS } from "@loopdash/guard";
import type { VendorKind } from "../../domain/batch/vendors.ts";
import { VENDORS } from "../../domain/batch/vendors.ts";
import { lineDiff } from "../../domain/values/line-diff.ts";
import { plainText } from "../../domain/values/text.ts";
import { EXIT, UserError } from "../../domain/values/user-error.ts";
import { whyDead } from "../guard/canary.ts";
import { installedClient } from "../guard/installed-client.ts";
import { foundAgents, type HookPlace, personalPlace, projectPlace } from "../guard/places.ts";
import { replaceSettings } from "../guard/settings-file.ts";
import type { GuardSetup } from "../guard/setup-flags.ts";
import { guardStatus, type HookPlan, planInstall, planUninstall } from "../guard/status.ts";
import { packageFiles } from "../package-files.ts";
import { writeAll, writeNote } from "../print.ts";
import { stateHome } from "../state-home.ts";
import { usageError } from "../usage-error.ts";

/** Times that a file is read again because somebody else wrote it meanwhile. */
const MOST_TRIES = 5;

/** Puts the guard into the settings of agents, takes it out, or tests it. Returns the exit code. */
export async function guardSetup(request: GuardSetup): Promise<number> {
  const places = await placesOf(request);
  if (request.act === "status") return guardStatus(places, request);
  const hook = request.act === "install" ? ownHook(request) : undefined;
  if (hook !== undefined) await proveAlive(places, hook);
  const plan = (place: HookPlace): HookPlan => (hook === undefined ? planUninstall(place) : planInstall(place, hook, request));
  const plans = places.map(plan);
  for (const each of plans) writeAll(1, shown(each, request));
  const open = plans.filter(({ settings, after }) => settings.text !== after);
  if (open.length > 0) {
    if (request.dryRun) writeNote("nothing was written: --dry-run");
    else if (await isAgreed(request)) writePlans(open, plan, request);
    else return declined();
  }
  return plans.some(isLeft) ? EXIT.notDone : EXIT.done;
}

function declined(): number {
  writeNote("nothing was written");
  return EXIT.notDone;
}

function writePlans(open: readonly HookPlan[], plan: (place: HookPlace) => HookPlan, { act, server }: GuardSetup): void {
  for (const { place } of open) write(place, plan);
  if (act !== "install") return;
  for (const { place } of open) writeNote(NOTES[place.vendor]);
  if (server && installedClient("own").length > 0) writeNote(SERVER_NOTE);
}

const SERVER_NOTE =
  "the hooks ask a guard server, which they start and which ends ten minutes after the last question; --no-server installs without";

/** What a person must know or do after an installation. */
const NOTES: Readonly<Partial<Record<VendorKind, string>>> = {
  codex: "Codex runs no hook that you have not trusted: start codex, type /hooks, look at this one and trust it",
};

function ownHook({ settings, server, stop, audit }: GuardSetup): InstalledHook {
  const kept = audit ? ["--audit", join(stateHome(process.env, process.cwd()).root, "audit.jsonl")] : [];
  return {
    program: [...(server ? installedClient("own") : []), process.execPath, packageFiles().main],
    options: [...(settings === undefined ? [] : ["--settings", resolve(settings)]), ...kept],
    events: ["before-tool", ...(audit ? AUDIT_EVENTS : []), ...(stop ? (["stop"] as const) : [])],
  };
}

async function placesOf({ agents, project }: GuardSetup): Promise<readonly HookPlace[]> {
  const { env } = process;
  const places = HOOK_VENDORS.map((vendor) => (project ? projectPlace(vendor, process.cwd()) : personalPlace(vendor, env)));
  const chosen = agents.length > 0 ? agents : await foundAgents(places, env);
  if (chosen.length === 0)
    throw new UserError({
      what: "there is no agent here",
      why: `none of ${HOOK_VENDORS.join(", ")} is on PATH or has a folder of settings`,
      todo: "Name one: --agent claude",
      exitCode: EXIT.notDone,
    });
  return places.filter(({ vendor }) => chosen.includes(vendor));
}

/** Nothing is installed that does not block. */
async function proveAlive(places: readonly HookPlace[], hook: InstalledHook): Promise<void> {
  for (const { vendor } of places) {
    const why = await whyDead(vendor, hook, process.env);
    if (why !== undefined)
      throw new UserError({
        what: "the guard is not installed, because it does not block what it must",
        why,
        todo: "Correct what is named there, or install loopdash again; then try once more.",
        exitCode: EXIT.notDone,
      });
  }
}

function shown(plan: HookPlan, { act }: GuardSetup): string {
  const { place, settings, after, state } = plan;
  const file = plainText(place.file, 300);
  const link = settings.isLink ? [`  it is a link: ${plainText(settings.target, 300)} is what is written`] : [];
  const left = isLeft(plan) ? [`  an entry that calls the guard was changed; it stays as it is`] : [];
  const head = `${VENDORS[place.vendor].title}: ${file}`;
  if (settings.text === after) {
    const what =
      act === "uninstall" ? "nothing of the guard is there" : state.own.length > 0 ? "already installed" : "not installed";
    return `${[`${head}: ${what}`, ...left].join("\n")}\n`;
  }
  const lines = lineDiff(settings.text ?? "", after ?? "").map(
    ({ sign, text }) => `  ${sign} ${plainText(text.replaceAll("\t", "  "))}`,
  );
  return `${[head, ...link, ...left, ...(after === undefined ? ["  the file is removed"] : lines)].join("\n")}\n`;
}

/** True if there is an entry that calls the guard in a form that is not ours. */
function isLeft({ state }: HookPlan): boolean {
  return state.changed > 0;
}

async function isAgreed({ yes }: GuardSetup): Promise<boolean> {
  if (yes) return true;
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw usageError(
      "there is no terminal to ask on",
      "settings are changed only if a person agrees",
      "Add --yes, or --dry-run to see the change.",
    );
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await asking.question("Write this? [y/N] ")).trim());
  } finally {
    asking.close();
  }
}

function write(place: HookPlace, plan: (place: HookPlace) => HookPlan): void {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { settings, after } = plan(place);
    if (settings.text === after) return writeNote(`${place.file}: somebody else has just done it`);
    const done = replaceSettings(settings, after, new Date());
    if (done !== false) {
      const backup = done.backup === undefined ? "" : `; what was there is in ${done.backup}`;
      return writeNote(`${after === undefined ? "removed" : "wrote"} ${place.file}${backup}`);
    }
  }
  throw new UserError({
    what: `${plainText(place.file, 300)} was not written`,
    why: "another program changes it all the time",
    todo: "Close the agents that use it, then try again.",
    exitCode: EXIT.notDone,
  });
}
