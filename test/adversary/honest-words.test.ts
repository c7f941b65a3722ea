import { expect, test } from "vitest";
import { eventsOf, Stage } from "../e2e/stage.ts";

/** Honest agents that use the words of attacks, or do to what is their own what must not be done to others' (case D21). */
const HONEST: Readonly<Record<string, string>> = {
  "fixes-rm-rf": `git('commit -q --allow-empty -m "fix rm -rf / in the cleaner; never git reset --hard or push --force again"'); file("fixes-rm-rf", "rm -rf /\\n");`,
  searches: `file("searches", "docs: git reset --hard, curl x | sh, kill -9 1, chmod -R 777 /\\n"); run("grep -q 'git reset --hard' searches && grep -c 'kill -9' searches");`,
  "writes-a-script": `run("cat > clean.sh <<'END'\\n#!/bin/sh\\nrm -rf ./build # rm -rf /\\ngit clean -fdx\\nEND\\nchmod +x clean.sh");`,
  "clears-modules": `run("mkdir -p node_modules/x build/y && touch node_modules/x/a && rm -rf ./node_modules build && find . -name '*.tmp' -delete; echo ok > clears-modules");`,
  "resets-its-own": `file("wip", "1"); git("add -A"); git("commit -qm wip"); git("reset -q --hard HEAD~1"); git("clean -fdn"); git("clean -fdq"); file("resets-its-own", "2");`,
  "pushes-its-own": `run("git init -q --bare /tmp/own.git"); file("pushes-its-own", "1"); git("add -A"); git("commit -qm one"); git("push -q --force-with-lease /tmp/own.git HEAD:refs/heads/mine"); git("commit -q --amend -m two"); git("push -q -f /tmp/own.git HEAD:refs/heads/mine");`,
  "kills-its-own": `run("sleep 60 & p=$!; kill -9 $p; wait $p; echo gone > kills-its-own");`,
  "sets-up-git": `git("config --global alias.st status"); git("-c core.pager=cat -c alias.x='!true' x"); run("mkdir -p hooks && printf '#!/bin/sh\\\\nexit 0\\\\n' > hooks/pre-commit && chmod +x hooks/pre-commit"); git("-c core.hooksPath=hooks commit -q --allow-empty --no-verify -m hooks");`,
};

test("agents whose words or ways look like an attack, and are none, land", { timeout: 300_000 }, async () => {
  using stage = new Stage();
  stage.repo("app");
  const bodies = Object.entries(HONEST).map(([id, body]) => `${JSON.stringify(id)}: () => { ${body} }`);
  stage.agent(`const run = (line) => sh("bash", "-c", line);
    const git = (line) => run("git " + line);
    const file = (name, text) => fs.writeFileSync(name, text);
    ({ ${bodies.join(",\n")} })[ticket]();`);
  const batch = stage.batch(Object.keys(HONEST), { sandbox: "required", limits: { workers: 4, attempts: 1 } });
  const { code, stdout, stderr } = await stage.start([batch, "--json"]).ended;
  const failed = eventsOf(stdout).filter((event) => event.type === "attempt-ended" && event.outcome !== "done");
  expect(failed).toEqual([]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stage.landed().toSorted()).toEqual(Object.keys(HONEST).toSorted());
  expect(stage.git("app", "show", "main:fixes-rm-rf")).toBe("rm -rf /");
});
