/**
 * Plays a person who edits the tracker while the run is at work: `node person.mjs <workspace>`. Once coupons run on dev, it closes
 * SHOP-6, which still waits for the checkout. Exits then, or when dev no longer answers.
 */
import { access, readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "./ask.mjs";

const LOOK_MS = 200;
const TICKET = "tickets/SHOP-6.md";
const [, , workspace = ""] = process.argv;
process.chdir(workspace);

/** True if the commit that runs on dev has coupons. Rejects if dev does not answer. */
async function hasCoupons() {
  const { body } = await ask("dev.sock", "/shop");
  return access(`deployed/dev/shop-${body?.revision?.slice(0, 12)}/src/coupon.js`).then(
    () => true,
    () => false,
  );
}

try {
  while (!(await hasCoupons())) await sleep(LOOK_MS);
} catch {
  process.exit(0);
}
const text = await readFile(TICKET, "utf8");
await writeFile(`${TICKET}.new`, text.replace(/^state: open$/m, "state: done"));
await rename(`${TICKET}.new`, TICKET);
