import type { Defence } from "../suite.ts";

const EXACTLY = {
  in: "HeaderHosts.of",
  from: "find(({ to }) => to.host === host && to.port === port)",
  to: "find(({ to }) => to.host !== String(port) && host !== '')",
};
const TUNNEL = {
  in: "CredentialProxy.#inTunnel",
  from: 'if (!namesHost(req.headers.host ?? "", tunnel))',
  to: 'if (!namesHost(req.headers.host ?? "", tunnel) && req.headers.host === "")',
};

/** Git obeys the files of a checkout also where a command has a secret or runs outside the sandbox. */
const CARELESS_GIT = { in: "carefulVariables", from: "return { ...CAREFUL_GIT,", to: "return {" };
/** What prepare commands did to the git folder of a checkout stays. */
const GIT_LEFT = { in: "runPrepare", from: "if (log !== OWN_LOG) await git.restore();", to: "" };

export const DEFENCES = {
  gitFolder: {
    name: "a prepare command with a secret, and what runs after prepare, find the git folder as the engine made it",
    holes: [GIT_LEFT, { in: "refuseNestedGit", from: "await git.restore();", to: "" }, CARELESS_GIT],
  },
  gitCopy: {
    name: "nothing in a sandbox can write the copy from which a git folder is put back",
    holes: [
      {
        in: "gitFolders",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of the source
        from: "copy: `${cwd}.git-as-made`",
        to: 'copy: join(cwd, ".git-as-made")',
      },
    ],
  },
  nestedGit: {
    name: "no command with a secret or outside the sandbox runs beside a repository that a change made in its checkout",
    holes: [{ in: "nestedGit", from: 'path.includes("/") && isGit(path)', to: 'path === "" && isGit(path)' }, CARELESS_GIT],
  },
  carefulGit: {
    name: "git outside the sandbox takes no folder of a checkout for a repository, and runs no hook or monitor of it",
    holes: [CARELESS_GIT],
  },
  carefulToolchains: {
    name: "version managers outside the sandbox are told which toolchain to run, and ask no file of the checkout",
    holes: [
      {
        in: "carefulVariables",
        from: ", ...carefulToolchains?.get(ticket.repo) }",
        to: " }",
      },
    ],
  },
  loginFile: {
    name: "no sandbox shows the login of a subscription",
    holes: [
      { in: "checkLogin", from: "if (opened !== undefined)", to: 'if (opened === "")' },
      { in: "filesOfLogins", from: "return loginFiles(env);", to: "return loginFiles(env).slice(9);" },
      { in: "SECRETS", from: '".claude/.credentials.json*",', to: "" },
    ],
  },
  routes: {
    name: "the model's API alone can be asked through the gateway",
    holes: [
      {
        in: "matchRoute",
        from: "(each) => each.method === method && each.path.test(path));",
        to: "(each) => each.method === method);",
      },
    ],
  },
  scrub: {
    name: "what a model's API sends back holds nothing of the engine's key",
    holes: [
      {
        in: "Call.#pass",
        from: "new Scrubber(secret)",
        to: 'new Scrubber("")',
      },
    ],
  },
  answerHeaders: {
    name: "the headers that a host sends back hold nothing of the secrets that it was sent",
    holes: [
      {
        in: "passBack",
        from: "masker.value(withoutHop(answer, (name) => NOT_FROM_HOST.has(name)))",
        to: "withoutHop(answer, (name) => NOT_FROM_HOST.has(name))",
      },
    ],
  },
  ranges: {
    name: "a host that gets a secret is asked for whole answers alone",
    holes: [{ in: "NOT_TO_HOST", from: '"range", "if-range",', to: "" }],
  },
  compression: {
    name: "a host that gets a secret answers uncompressed, so that its answer can be searched",
    holes: [
      { in: "NOT_TO_HOST", from: '"accept-encoding",', to: "" },
      { in: "headersToHost", from: '"accept-encoding": "identity",', to: "" },
      { in: "passBack", from: 'if (coding !== undefined && coding !== "identity") {', to: 'if (coding === "") {' },
    ],
  },
  methods: {
    name: "a secret is added to the methods that the batch names",
    holes: [{ in: "passWithHeaders", from: "if (!allowed.includes(method))", to: "if (allowed.length === 0)" }],
  },
  exactly: {
    name: "a secret goes to exactly the host and port that the batch names",
    holes: [EXACTLY],
  },
  named: {
    name: "the connection decides which host gets a secret, and a request must name the same",
    holes: [EXACTLY, TUNNEL],
  },
  tunnels: {
    name: "a request in a tunnel names the host of the tunnel",
    holes: [TUNNEL],
  },
  ownHosts: {
    name: "each program reaches the hosts that the batch opens to it, and agents none with a secret",
    holes: [
      { in: "opened", from: "? hosts[who] : undefined", to: '? hosts["prepare"] : undefined' },
      { in: "opened", from: "const own = hasHeaders ? named", to: "const own = hasHeaders || true ? named" },
    ],
  },
  written: {
    name: "no agent can write the program that gets a secret",
    holes: [
      { in: "programProblem", from: "const written = (batch.sandboxPolicy?.write ?? [])", to: "const written = [real].slice(1)" },
    ],
  },
  encodings: {
    name: "a secret is masked in the encodings in use as well",
    holes: [
      { in: "secretForms", from: "texts.flatMap(encoded)", to: "[encoded].slice(1).length === 0 ? texts : []" },
      {
        in: "secretForms",
        from: "texts.flatMap((text) => inBase64(Buffer.from(text)))",
        to: "[inBase64].slice(1).flatMap(() => [])",
      },
    ],
  },
  answers: {
    name: "what a host sends back holds nothing of the secrets that it was sent",
    holes: [
      {
        in: "passBack",
        from: "if (write(mask.push(chunk))) return;",
        to: "if (write(chunk)) return;",
      },
    ],
  },
  headers: {
    name: "the gateway adds secrets to requests of prepare and verifications alone",
    holes: [
      {
        in: "checkHeaderHost",
        from: "if (who !== PREPARE && !isVerifyAlone(file, who)) {",
        to: "if (who !== PREPARE && !isVerifyAlone(file, who) && who === PREPARE) {",
      },
      {
        in: "opened",
        from: "const own = hasHeaders ? named",
        to: "const own = hasHeaders || true ? named",
      },
    ],
  },
  ownProgram: {
    name: "a secret goes to a program in the batch's folder",
    holes: [
      {
        in: "unfitForSecrets",
        from: "if (isInBatchFolder(program)) return undefined;",
        to: "if (program !== undefined) return undefined;",
      },
      {
        in: "programProblem",
        from: 'const word = command[programWord(command)] ?? "";',
        to: 'if (command.length > 0) return undefined;\n  const word = "";',
      },
    ],
  },
  program: {
    name: "the program that gets a secret lies where no change of an agent lands, links followed",
    holes: [
      { in: "programProblem", from: "if (!isWithin(home, real)) return", to: "if (home === real) return" },
      {
        in: "programProblem",
        from: "const repository = repositoryOf(real, batch.repos); if (repository !== undefined) return `",
        to: "const repository = repositoryOf(real, batch.repos);\n  if (repository === home) return `",
      },
    ],
  },
  output: {
    name: "secrets are masked in all output",
    holes: [
      {
        in: "createOutput",
        from: "take(mask === undefined ? chunk : mask.push(chunk));",
        to: "take(chunk);",
      },
    ],
  },
  oneCommand: {
    name: "a variable with a secret is one command's own",
    holes: [
      {
        in: "runOne",
        from: "env: await resolveVariables(ctx, scope, command)",
        to: "env: await resolveVariables(ctx, scope, prepareCommand((ctx.batch.repos[scope.ticket.repo]?.prepare ?? [])[0] ?? command))",
      },
    ],
  },
  leftInTree: {
    name: "what prepare leaves for others holds none of its secrets",
    holes: [
      GIT_LEFT,
      {
        in: "runOne",
        from: "const leak = hasSecrets(env) ?",
        to: "const leak = hasSecrets(env) && argv.length === 0 ?",
      },
    ],
  },
  rulingsOnly: {
    name: "a reviewer holds a secret for its rulings alone, and for no question in which it tries a candidate's code",
    holes: [{ in: "rulingVariables", from: 'question !== "adjudicate" ||', to: "" }],
  },
  stepVariables: {
    name: "a command of a check or of a claim gets no variable of the batch",
    holes: [
      {
        in: "stepVariables",
        from: 'return step.step === "verify" ? resolveVariables(ctx, scope, step) : {};',
        to: 'const { reviewer } = ctx.batch;\n  return resolveVariables(ctx, scope, reviewer?.kind === "command" ? reviewer : step as never);',
      },
    ],
  },
  told: {
    name: "what an agent is told of a ruling is masked",
    holes: [
      {
        in: "createOutput",
        from: "take(mask === undefined ? chunk : mask.push(chunk));",
        to: "take(chunk);",
      },
      { in: "maskedPorts", from: "report(masker.value(fact))", to: "report(fact)" },
      { in: "maskedPorts", from: "files.write(file, masker.text(text))", to: "files.write(file, text)" },
    ],
  },
  patches: {
    name: "secrets are masked in patches",
    holes: [{ in: "maskFile", from: "if (!masked.equals(bytes))", to: "if (bytes.length === 0)" }],
  },
  prompts: {
    name: "secrets are masked in prompts and in other files of a run",
    holes: [{ in: "maskedPorts", from: "files.write(file, masker.text(text))", to: "files.write(file, text)" }],
  },
  facts: {
    name: "secrets are masked in facts, and so in journal, feed and reports",
    holes: [{ in: "maskedPorts", from: "report(masker.value(fact))", to: "report(fact)" }],
  },
  early: {
    name: "the values of variables and files are masked from the start",
    holes: [{ in: "startEngine", from: "await secrets?.secrets.preload();", to: "" }],
  },
  source: {
    name: "a command that prints a secret lies in no repository",
    holes: [{ in: "commandProblem", from: "if (repository === undefined) continue;", to: "if (repository !== real) continue;" }],
  },
} as const satisfies Record<string, Defence>;
