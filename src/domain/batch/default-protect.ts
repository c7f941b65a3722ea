import picomatch from "picomatch";

/** In a list of protected paths: stands for the defaults. */
export const PROTECT_DEFAULTS = "{defaults}";

/** Files that decide about every change to a repository, by the conventions of the systems that read them. */
const CI: readonly string[] = [
  ".github/{workflows,actions}/**",
  ".{circleci,buildkite,woodpecker,teamcity,semaphore,azure-pipelines}/**",
  ".{gitea,forgejo}/workflows/**",
  "{.gitlab-ci,.travis,.drone,.woodpecker,.cirrus,.appveyor,appveyor,azure-pipelines,bitbucket-pipelines,cloudbuild}.{yml,yaml}",
  "{codecov,.codecov}.{yml,yaml}",
  "Jenkinsfile*",
];

/**
 * Files that do nothing but set up how tests are run, by ecosystem. Manifests such as package.json or pyproject.toml and the tests
 * themselves are not among them: an honest ticket changes those, and a check compares what they say about tests.
 */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  JavaScript: [
    "{vitest,jest,playwright,cypress,ava,web-test-runner}.{config,workspace,preset}.*",
    "{karma,wdio}.conf.*",
    ".{mocharc,nycrc,c8rc,taprc}*",
  ],
  Python: ["{pytest,.pytest,tox}.ini", "{pytest,.pytest}.toml", "noxfile.py", ".coveragerc"],
  Rust: ["nextest.toml", "**/.cargo/config{,.toml}"],
  Ruby: [".rspec"],
  PHP: ["phpunit*.xml*"],
  Java: ["{testng.xml,junit-platform.properties}"],
  ".NET": ["*.runsettings"],
};

const RUNNER_GLOBS: ReadonlySet<string> = new Set(Object.values(RUNNERS).flat());

const DEFAULTS: readonly string[] = [...CI, ...RUNNER_GLOBS];

const isOfCi = picomatch([...CI], { dot: true, nocase: true });

/** True for a file that decides which checks a change gets, by the conventions of the systems that read it. */
export function isCiFile(path: string): boolean {
  return isOfCi(path);
}

const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;

/** True for a file of a workflow of GitHub Actions. */
export function isWorkflow(path: string): boolean {
  return WORKFLOW.test(path);
}

/** An action of the repository itself. */
const ACTION = /^\.github\/actions\/.+\/action\.ya?ml$/;

/** True for a file of GitHub Actions that has commands: a workflow, or an action of the repository itself. */
export function isWorkflowOrAction(path: string): boolean {
  return isWorkflow(path) || ACTION.test(path);
}

/** The protected paths of a batch: its list, in which `{defaults}` stands for the defaults. */
export function protectedPaths(protect: readonly string[]): readonly string[] {
  return [...new Set(protect.flatMap((glob) => (glob === PROTECT_DEFAULTS ? DEFAULTS : [glob])))];
}

/** The same for a ticket that may change how tests are run: without the defaults that are about runners. */
export function withoutRunnerDefaults(protect: readonly string[]): readonly string[] {
  return protect.filter((glob) => !RUNNER_GLOBS.has(glob));
}

/** Protected paths in groups with a name: the defaults by ecosystem, then the batch's own. Groups without a path are left out. */
export function protectGroups(protect: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const groups = Object.entries({ CI, ...RUNNERS }).map(
    ([name, globs]) => [name, globs.filter((g) => protect.includes(g))] as const,
  );
  const own = protect.filter((glob) => !DEFAULTS.includes(glob));
  return [...groups, ["this batch", own] as const].filter(([, globs]) => globs.length > 0);
}
