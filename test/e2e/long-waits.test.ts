import { expect, test } from "vitest";
import { Stage } from "./stage.ts";

/** A stage whose owner signs commits with a program that hangs, in a child of a script. */
function signs(hangs: string): Stage {
  const stage = new Stage();
  stage.repo("app");
  const signer = stage.write("signer.sh", `#!/bin/sh\n${hangs}\n`, 0o755);
  stage.write(
    ".gitconfig",
    `[user]\n\tname = Jo\n\temail = jo@x\n\tsigningKey = k\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${signer}\n`,
  );
  return stage;
}

const NAMED = /signing a commit waits for \S*signer.sh \(pid \d+\), 5 s of at most 60 s/;

test.for([["--headless"], ["--dry-run"]])("%s names a signer that hangs within 10 s", { timeout: 60_000 }, async (flags) => {
  using stage = signs("sleep 1000");
  const run = stage.start([stage.batch(["T-1"]), ...flags]);
  await run.untilError(NAMED);
  expect(run.child.exitCode).toBeNull();
});

test("doctor tries a signature, which ends with all that the signer started", { timeout: 120_000 }, async () => {
  using stage = signs("sleep 1000");
  const { stdout, stderr } = await stage.run(["doctor", stage.batch(["T-1"])]);
  expect(stderr).toMatch(NAMED);
  expect(stdout).toMatch(
    /signer.sh: it did not sign within 60 s, and was ended: it may wait for a passphrase or a touch of a key/,
  );
});

test("a signer that hangs from the first landing on is named in the run, and its commit is tried again", {
  timeout: 120_000,
}, async () => {
  using stage = new Stage();
  const flag = stage.path("hangs");
  using own = signs(`if [ -e ${flag} ]; then sleep 1000; fi
for last; do out=$file; file=$last; done; echo signature > "$out"; echo "[GNUPG:] SIG_CREATED " >&2`);
  own.agent(`fs.writeFileSync("a.txt", "a"); fs.writeFileSync("${flag}", "");`);
  const run = own.start([own.batch(["T-1"]), "--headless"]);
  await run.until(NAMED);
  expect(run.child.exitCode).toBeNull();
});
