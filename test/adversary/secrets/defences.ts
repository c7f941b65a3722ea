import type { Defence } from "../suite.ts";

const RUN_SECRETS = "src/cli/engine/run-secrets.ts";

export const DEFENCES = {
  answers: {
    name: "what a host sends back holds nothing of the secrets that it was sent",
    holes: [
      {
        file: "src/adapters/gateway/credentials/pass-with-headers.ts",
        from: "if (write(mask.push(chunk))) return;",
        to: "if (write(chunk)) return;",
      },
    ],
  },
  headers: {
    name: "the gateway adds secrets to requests of prepare and verifications alone",
    holes: [
      {
        file: "src/domain/batch/check-secrets.ts",
        from: "if (who !== PREPARE && !isVerifyAlone(file, who)) {",
        to: "if (who !== PREPARE && !isVerifyAlone(file, who) && who === PREPARE) {",
      },
      {
        file: "src/loop/programs/confine.ts",
        from: "const own = hasHeaders ? named",
        to: "const own = hasHeaders || true ? named",
      },
    ],
  },
  ownProgram: {
    name: "a secret goes to a program in the batch's folder",
    holes: [
      {
        file: "src/domain/batch/check-secrets.ts",
        from: "if (isInBatchFolder(program)) return undefined;",
        to: "if (program !== undefined) return undefined;",
      },
      {
        file: RUN_SECRETS,
        from: 'const word = command[programWord(command)] ?? "";',
        to: 'if (command.length > 0) return undefined;\n  const word = "";',
      },
    ],
  },
  program: {
    name: "the program that gets a secret lies where no change of an agent lands, links followed",
    holes: [
      { file: RUN_SECRETS, from: "if (!isWithin(home, real)) return", to: "if (home === real) return" },
      {
        file: RUN_SECRETS,
        from: "  const repository = repositoryOf(real, batch);\n  if (repository !== undefined) return `",
        to: "  const repository = repositoryOf(real, batch);\n  if (repository === home) return `",
      },
    ],
  },
  output: {
    name: "secrets are masked in all output",
    holes: [
      {
        file: "src/adapters/executor/output.ts",
        from: "take(mask === undefined ? chunk : mask.push(chunk));",
        to: "take(chunk);",
      },
    ],
  },
  source: {
    name: "a command that prints a secret lies in no repository",
    holes: [{ file: RUN_SECRETS, from: "if (repository === undefined) continue;", to: "if (repository !== real) continue;" }],
  },
} as const satisfies Record<string, Defence>;
