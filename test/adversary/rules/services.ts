import type { Rule } from "./rule.ts";

/** Rules about Linear and GitHub: what is sent to them, what is believed of their answers, and whose states stay. */
export const SERVICES: readonly Rule[] = [
  {
    rule: "nothing is sent for an oracle but its one document",
    holes: [
      {
        file: "src/adapters/oracle/service-line.ts",
        from: "if (!request.success || request.data.document !== DOCUMENTS[kind])",
        to: "if (!request.success || DOCUMENTS[kind] === undefined)",
      },
    ],
    file: "test/oracle/service-planted.test.ts",
    test: "a planted oracle gets no mutation through, whatever the service",
  },
  {
    rule: "an answer without an end does not fill the memory",
    holes: [{ file: "src/adapters/answer-text.ts", from: "if (size > MAX_ANSWER)", to: "if (size < MAX_ANSWER - MAX_ANSWER)" }],
    file: "test/adapters/answer-text.test.ts",
    test: "stops reading an answer that is larger than anything that a service has to say",
  },
  {
    rule: "a ticket that a person cancels while loopdash writes is not set to done",
    holes: [
      {
        file: "src/adapters/tracker/linear/write/set-state.ts",
        from: "if (now.conflict !== undefined) return now.conflict;",
        to: "void now.conflict;",
      },
    ],
    file: "test/adapters/tracker/linear/writing.test.ts",
    test: "leaves a state that a person sets while the note is written",
  },
  {
    rule: "a ticket that a person canceled on GitHub is not set to done",
    holes: [{ file: "src/adapters/tracker/github/github-service.ts", from: "(!isCanceled && ", to: "(" }],
    file: "test/adapters/tracker/github/canceled.test.ts",
    test: "a write from open leaves an issue that a person has closed as not planned",
  },
  {
    rule: "a redirect of Linear leads nowhere",
    holes: [{ file: "src/adapters/tracker/linear/client/send.ts", from: 'redirect: "error"', to: 'redirect: "follow"' }],
    file: "test/e2e/services-lies.test.ts",
    test: "ends unjudged if linear lies to everybody, and its token goes nowhere else",
    isBuilt: true,
  },
  {
    rule: "a redirect of GitHub leads nowhere",
    holes: [{ file: "src/adapters/github/load-octokit.ts", from: 'redirect: "manual"', to: 'redirect: "follow"' }],
    file: "test/e2e/services-lies.test.ts",
    test: "ends unjudged if github lies to everybody, and its token goes nowhere else",
    isBuilt: true,
  },
  {
    rule: "the oracle's line follows no redirect",
    holes: [{ file: "src/adapters/oracle/service-line.ts", from: 'redirect: "error"', to: 'redirect: "follow"' }],
    file: "test/e2e/services-lies.test.ts",
    test: "ends unjudged if linear lies to the oracle, and its token goes nowhere else",
    isBuilt: true,
  },
];
