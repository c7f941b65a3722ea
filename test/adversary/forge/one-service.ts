import { onTestFinished } from "vitest";
import { Stage } from "../../e2e/stage.ts";
import { git } from "../../stand-ins/github/forge/git.ts";
import { GitHubStandIn } from "../../stand-ins/github/server.ts";
import type { Attack } from "../suite.ts";
import { DEFENCES } from "./defences.ts";
import { TOKEN } from "./world.ts";

const REPO = "acme/app";
const CLOSING = "Closes #2, fixes acme/app#2.\nresolves: #2";
/** The agent of the second ticket gives up, so that whatever closes it is no work. */
const AGENT = `if (ticket === "app-2") process.exit(1);
fs.writeFileSync(ticket + ".txt", "done\\n");
if (ticket === "app-1") {
  sh("git", "add", "-A");
  sh("git", "-c", "user.name=a", "-c", "user.email=a@a", "commit", "-q", "-m", "fixes #2");
  const folder = process.env.LOOPDASH_OUTBOX + "/discovered";
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(folder + "/1.json", JSON.stringify({ title: "Resolve #2", body: "closes #2", reason: "seen on the way" }));
}`;

/** Attacks where GitHub keeps the tickets and takes the changes: what lands may close a ticket. */
export const ONE_SERVICE: readonly Attack[] = [
  {
    id: "H7-tracker",
    what: "a ticket's text, its agent's commit and what that found close another ticket of the batch, which is GitHub's",
    defence: DEFENCES.closing,
    succeeds: closesOther,
  },
];

/** True if the second ticket was closed, or the run ended well. Throws unless the first one has landed. */
async function closesOther(program: string): Promise<boolean> {
  const forge = { jobs: [{ name: "ci", isRequired: true, command: ["true"] }] };
  const issues = [
    { number: 1, title: "Do the work, closes #2", body: CLOSING, labels: ["batch"] },
    { number: 2, title: "Do other work", body: "", labels: ["batch"] },
  ];
  const standIn = await new GitHubStandIn({ seed: { repos: { [REPO]: { forge, issues } }, tokens: { [TOKEN]: "loop" } } }).open();
  const stage = new Stage(program);
  onTestFinished(async () => {
    stage[Symbol.dispose]();
    await standIn[Symbol.asyncDispose]();
  });
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  await git(stage.root, ["-c", login, "clone", "-q", `${standIn.url}/${REPO}.git`, "app"]);
  stage.agent(AGENT);
  const at = { repo: REPO, baseUrl: standIn.enterpriseUrl };
  const batch = stage.batch([], {
    sandbox: "required",
    tracker: { kind: "github", labels: ["batch"], ...at },
    repos: { app: { path: "app", forge: { kind: "github", ...at } } },
    limits: { attempts: 1, discoveries: 5 },
  });
  const { code, stdout, stderr } = await stage.start([batch, "--json"], { GITHUB_TOKEN: TOKEN }, program).ended;
  const said = `${stdout.slice(-4_000)}${stderr}`;
  const repo = standIn.state.repos.find(({ fullName }) => fullName === REPO);
  const stateOf = (number: number) => repo?.issues.find((issue) => issue.number === number)?.state;
  if (stateOf(1) !== "closed" || (repo?.forge?.pulls.filter(({ mergedBy }) => mergedBy !== undefined).length ?? 0) < 2)
    throw new Error(`the first ticket and what was found have not both landed:\n${said}`);
  return stateOf(2) === "closed" || code === 0;
}
