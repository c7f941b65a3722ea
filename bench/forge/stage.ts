import { PROGRAM, Stage } from "../../test/e2e/stage.ts";
import { git } from "../../test/stand-ins/github/forge/git.ts";
import type { ForgeRepo, SeedJob } from "../../test/stand-ins/github/forge/model.ts";
import { GitHubStandIn, type SeenRequest } from "../../test/stand-ins/github/server.ts";

export const REPO = "acme/app";
export const TOKEN = "token-of-the-bench";

/** A request as the stand-in saw it, and when. Milliseconds since the epoch. */
export interface TimedRequest extends Pick<SeenRequest, "method" | "path"> {
  readonly at: number;
  /** The query or mutation of GraphQL, and the pull request that it is about; empty for REST. */
  readonly text: string;
  readonly number?: number;
}

/** A repository at a stand-in of GitHub, whose one required check is `ci`. */
export interface ForgeBench extends AsyncDisposable {
  readonly standIn: GitHubStandIn;
  readonly requests: readonly TimedRequest[];
  forge(): ForgeRepo;
}

/** Opens it; `command` is what its check runs. */
export async function openForge(command: SeedJob["command"]): Promise<ForgeBench> {
  const forge = { jobs: [{ name: "ci", command, isRequired: true, timeoutMs: 600_000 }] };
  const standIn = await new GitHubStandIn({ seed: { repos: { [REPO]: { forge } }, tokens: { [TOKEN]: "loop" } } }).open();
  const requests: TimedRequest[] = [];
  standIn.fault = ({ method, path, body }) => {
    const { query, variables } = body as { readonly query?: string; readonly variables?: { readonly number?: number } };
    const number = variables?.number;
    requests.push({ method, path, at: Date.now(), text: query ?? "", ...(number !== undefined && { number }) });
    return undefined;
  };
  return {
    standIn,
    requests,
    forge() {
      const found = standIn.state.repos.find(({ fullName }) => fullName === REPO)?.forge;
      if (found === undefined) throw new Error(`${REPO} has no git`);
      return found;
    },
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}

/** Runs the real program over tickets whose changes land there by pull requests. Throws unless all are done. */
export async function runThere(
  { standIn }: ForgeBench,
  { agent, tickets, workers }: { readonly agent: string; readonly tickets: number; readonly workers: number },
): Promise<void> {
  using stage = new Stage(PROGRAM);
  const login = `http.extraHeader=Authorization: Basic ${btoa(`x-access-token:${TOKEN}`)}`;
  await git(stage.root, ["-c", login, "clone", "-q", `${standIn.url}/${REPO}.git`, "app"]);
  const script = stage.write("agent.sh", agent);
  const batch = stage.batch(
    Array.from({ length: tickets }, (_, at) => `T-${at + 1}`),
    {
      sandbox: "required",
      agent: { kind: "command", command: ["sh", script] },
      repos: { app: { path: "app", forge: { kind: "github", repo: REPO, baseUrl: standIn.enterpriseUrl } } },
      limits: { workers, attempts: 2, minutesPerAttempt: 10 },
    },
  );
  const { code, stdout, stderr } = await stage.run([batch, "--json"], { GITHUB_TOKEN: TOKEN });
  if (code !== 0) throw new Error(`loopdash ended with ${code}: ${(stderr || stdout).slice(-2_000).trim()}`);
}
