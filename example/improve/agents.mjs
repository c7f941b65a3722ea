/** The agents of the example, scripted: a finder that sometimes invents, a designer, a mender that learns, and a verifier that is too kind. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const role = process.argv[2];
const prompt = readFileSync(process.env.LOOPDASH_PROMPT, "utf8");
const ticket = process.env.LOOPDASH_TICKET ?? /guards-\d+-mend/.exec(prompt)?.[0] ?? "";
const iteration = Number(/guards-(\d+)/.exec(ticket)?.[1]);

const destructive = {
  severity: "P0",
  kind: "other spelling",
  title: "rm -fr / is not blocked",
  file: "guards/destructive.mjs",
  line: 3,
  why: "rm takes its flags in any order, apart or together; the guard knows one spelling",
};
const secret = {
  severity: "P1",
  kind: "other program",
  title: "cp, mv and vim reach .env",
  file: "guards/secrets.mjs",
  line: 3,
  why: "the guard looks for cat alone",
};
const invented = {
  severity: "P2",
  kind: "forged entry",
  title: "a command with a line break forges an entry of the audit log",
  file: "guards/audit.mjs",
  line: 3,
  why: "the log has an entry a line",
};
const none = { none: true, why: "read all guards; every spelling that I know is blocked" };
const FINDINGS = [destructive, invented, secret, { ...destructive, line: 4, title: "rm -r -f / is not blocked" }, none, none];

const blocked = (file, ...commands) =>
  [
    `import { blocks } from "../guards/${file}.mjs";`,
    `const blocked = ${JSON.stringify(commands)}.every(blocks) && !blocks("ls -l notes.md");`,
    "process.exit(blocked ? 0 : 1);",
    "",
  ].join("\n");
const CASES = {
  1: blocked("destructive", "rm -fr /"),
  2: `import { entry } from "../guards/audit.mjs";\nprocess.exit(entry("ls\\nrm").includes("\\n") ? 1 : 0);\n`,
  3: blocked("secrets", "cp .env /tmp/x", "mv .env x", "vim .env"),
};
const ATTACKS = {
  1: blocked("destructive", "rm -r -f /", "rm --recursive --force /"),
  3: blocked("secrets", "less ./.env", "cat .env.local"),
};

const guard = (about, body) => `/** ${about} */\nexport function blocks(command) {\n${body}\n}\n`;
const DESTRUCTIVE = "Blocks what deletes the whole disk.";
const NAIVE = guard(DESTRUCTIVE, String.raw`  return /\brm\s+-(?:rf|fr)\s+\//.test(command);`);
const MENDED = {
  1: guard(
    DESTRUCTIVE,
    String.raw`  const words = command.split(/\s+/);
  const flags = words.filter((word) => word.startsWith("-")).join("");
  return words.includes("rm") && /r/i.test(flags) && /f/.test(flags) && words.some((word) => word.startsWith("/"));`,
  ),
  3: guard("Blocks what reaches files with secrets.", String.raw`  return /(?:^|[\s/])\.env(?:\.|\s|$)/.test(command);`),
};

if (role === "finder") writeFileSync("finding.json", JSON.stringify(FINDINGS[Math.min(iteration, FINDINGS.length) - 1]));
if (role === "designer") {
  const path = /cases\/\d+\.mjs/.exec(prompt)[0];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, CASES[iteration]);
}
if (role === "mender") {
  for (const [, from, to] of prompt.matchAll(/^- (\/\S+) as (\S+)$/gm)) {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
  const isFirst = process.env.LOOPDASH_ATTEMPT === "1";
  const file = iteration === 1 ? destructive.file : secret.file;
  writeFileSync(file, iteration === 1 && isFirst ? NAIVE : MENDED[iteration]);
}
if (role === "verifier") {
  const [, nonce] = /^LOOPDASH ANSWER BEGIN (\S+)$/m.exec(prompt);
  const [, tree] = /"tree": "([0-9a-f]+)"/.exec(prompt);
  // It calls every change good; the run of its own attack decides.
  const answer = { nonce, tree, tried: ["other spellings and programs"], broken: false, shown: ATTACKS[iteration] };
  console.log(`LOOPDASH ANSWER BEGIN ${nonce}\n${JSON.stringify(answer)}\nLOOPDASH ANSWER END ${nonce}`);
} else console.log(`${role} has stopped`);
