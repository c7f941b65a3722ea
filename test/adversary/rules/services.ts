import type { Rule } from "./rule.ts";

/** Rules about Linear and GitHub: what is sent to them, what is believed of their answers, and whose states stay. */
export const SERVICES: readonly Rule[] = [
  {
    rule: "nothing is sent for an oracle but its one document",
    holes: [
      {
        in: "askService",
        from: "if (!request.success || request.data.document !== DOCUMENTS[kind])",
        to: "if (!request.success || DOCUMENTS[kind] === undefined)",
      },
    ],
    test: "a planted oracle gets no mutation through, whatever the service",
  },
  {
    rule: "an answer without an end does not fill the memory",
    holes: [{ in: "answerText", from: "if (size > MAX_ANSWER)", to: "if (size < MAX_ANSWER - MAX_ANSWER)" }],
    test: "stops reading an answer that is larger than anything that a service has to say",
  },
  {
    rule: "a ticket that a person cancels while loopdash writes is not set to done",
    holes: [
      {
        in: "settle",
        from: "if (now.conflict !== undefined) return now.conflict;",
        to: "void now.conflict;",
      },
    ],
    test: "leaves a state that a person sets while the note is written",
  },
  {
    rule: "a ticket that a person canceled on GitHub is not set to done",
    holes: [{ in: "setState", from: "(!isCanceled &&", to: "(" }],
    test: "a write from open leaves an issue that a person has closed as not planned",
  },
  {
    rule: "a redirect of Linear leads nowhere",
    holes: [{ in: "send", from: 'redirect: "error", signal: AbortSignal', to: 'redirect: "follow", signal: AbortSignal' }],
    test: "ends unjudged if linear lies to everybody, and its token goes nowhere else",
    isBuilt: true,
  },
  {
    rule: "a redirect of GitHub leads nowhere",
    holes: [{ in: "loadOctokit", from: 'redirect: "manual"', to: 'redirect: "follow"' }],
    test: "ends unjudged if github lies to everybody, and its token goes nowhere else",
    isBuilt: true,
  },
  {
    rule: "the oracle's line follows no redirect",
    holes: [{ in: "send", from: 'body, redirect: "error"', to: 'body, redirect: "follow"' }],
    test: "ends unjudged if linear lies to the oracle, and its token goes nowhere else",
    isBuilt: true,
  },
];
