/** A workflow of GitHub Actions. */
export interface Workflow {
  /** Absent if nothing tells it. GitHub gives the path of one that has no name. */
  readonly name?: string | null | undefined;
  /** The path of its file. One that GitHub itself provides has another, as `dynamic/github-code-scanning/codeql`. */
  readonly path: string;
}

/** True if a person means this workflow: by its name, the path of its file, or the name of that file. */
export function isMeant({ name, path }: Workflow, wanted: string): boolean {
  return name === wanted || path === wanted || path.endsWith(`/${wanted}`);
}
