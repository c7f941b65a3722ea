import { parse } from "yaml";
import { git } from "./git.ts";
import type { CiEvent, SeedJob } from "./model.ts";

const FOLDER = ".github/workflows/";

/** A workflow file, as far as this stand-in reads one. */
interface Workflow {
  readonly on?: string | readonly string[] | Readonly<Record<string, unknown>>;
  readonly jobs?: Readonly<Record<string, WorkflowJob>>;
}

interface WorkflowJob {
  readonly name?: string;
  readonly needs?: string;
  readonly steps?: readonly { readonly run?: string }[];
}

/**
 * The jobs of the workflow files in a commit's own tree, as GitHub takes them for `pull_request` and `merge_group`. Of steps, only `run`
 * is done. `push` is taken as `pull_request`, and everything else as not meant.
 */
export async function workflowJobs(folder: string, sha: string): Promise<readonly SeedJob[]> {
  const listed = await git(folder, ["ls-tree", "-r", "-z", "--name-only", sha, "--", FOLDER]);
  const paths = listed.split("\0").filter((path) => /\.ya?ml$/.test(path));
  const texts = await Promise.all(paths.map((path) => git(folder, ["cat-file", "blob", `${sha}:${path}`])));
  return texts.flatMap((text, at) => jobsIn(paths[at] ?? "", text));
}

function jobsIn(workflow: string, text: string): readonly SeedJob[] {
  const { on = [], jobs = {} } = parse(text) as Workflow;
  const names = typeof on === "string" ? [on] : Array.isArray(on) ? on : Object.keys(on);
  const events = new Set(names.flatMap((name: string): CiEvent[] => EVENTS[name] ?? []));
  if (events.size === 0) return [];
  return Object.entries(jobs).map(([id, { name = id, needs, steps = [] }]) => {
    const script = steps.flatMap(({ run }) => run ?? []).join("\n");
    const waits = needs === undefined ? {} : { needs: jobs[needs]?.name ?? needs };
    return { name, workflow, on: [...events], command: ["sh", "-ec", script], ...waits };
  });
}

const EVENTS: Readonly<Record<string, CiEvent[]>> = {
  push: ["pull_request"],
  pull_request: ["pull_request"],
  merge_group: ["merge_group"],
};
