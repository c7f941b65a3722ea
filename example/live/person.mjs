/**
 * Plays a person while the run is at work: `node person.mjs <workspace> <loopdash.js>`. Once coupons run on dev, it closes SHOP-6 in the
 * tracker, which still waits for the checkout. Once the change of a danger zone waits, it looks at it and approves exactly that. Exits
 * after both, or when dev no longer answers.
 */
import { execFile } from "node:child_process";
import { access, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ask } from "./ask.mjs";

const execute = promisify(execFile);
const LOOK_MS = 200;
/** A person reads before they approve. */
const READ_MS = 1_500;
const TICKET = "tickets/SHOP-6.md";
const IN_ZONE = { ticket: "INFRA-2", file: "templates/site.conf" };
const [, , workspace = "", program = ""] = process.argv;
const loopdash = [process.execPath, resolve(program)];
process.chdir(workspace);

/** True if the commit that runs on dev has coupons. Rejects if dev does not answer. */
async function hasCoupons() {
  const { body } = await ask("dev.sock", "/shop");
  return access(`deployed/dev/shop-${body?.revision?.slice(0, 12)}/src/coupon.js`).then(
    () => true,
    () => false,
  );
}

async function closeTicket() {
  while (!(await hasCoupons())) await sleep(LOOK_MS);
  const text = await readFile(TICKET, "utf8");
  await writeFile(`${TICKET}.new`, text.replace(/^state: open$/m, "state: done"));
  await rename(`${TICKET}.new`, TICKET);
}

/** The run whose branch of the ticket has the file of the zone; undefined if there is none. Rejects if dev does not answer. */
async function runWithChange() {
  await ask("dev.sock", "/infra");
  for (const run of await readdir("infra/.git/refs/heads/loopdash").catch(() => [])) {
    const args = ["--git-dir=infra/.git", "cat-file", "-e", `loopdash/${run}/${IN_ZONE.ticket}:${IN_ZONE.file}`];
    if (await works("git", args)) return run;
  }
  return undefined;
}

function works(command, args) {
  return execute(command, args).then(
    () => true,
    () => false,
  );
}

/** Approves the change that `loopdash bound approve` shows, by the commit that it names, unless somebody else has: until it has landed. It shows none while the checks run. */
async function approveChange() {
  while (!(await works("git", ["--git-dir=infra/.git", "cat-file", "-e", `main:${IN_ZONE.file}`]))) {
    const run = await runWithChange();
    const args = [...loopdash.slice(1), "bound", "approve", run ?? "", IN_ZONE.ticket];
    const shown = run === undefined ? "" : await execute(loopdash[0], args).catch(({ stdout }) => ({ stdout }));
    const [, commit] = /nothing is approved yet\..* ([0-9a-f]{12})$/m.exec(shown.stdout ?? "") ?? [];
    await sleep(run === undefined ? LOOK_MS : READ_MS);
    if (commit !== undefined && (await works(loopdash[0], [...args, commit]))) return;
  }
}

// Dev is gone once nobody plays any more.
await Promise.allSettled([closeTicket(), approveChange()]);
