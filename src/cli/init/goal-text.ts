/** A goal file for `loopdash improve`, as `init --improve` writes it. */
export const GOAL_TEXT = `---
name: security
repo: {path: .}
# What a change may touch.
scope: ["src/**"]
# Commands that must stay possible, and the repository's own checks.
smoke: []
checks:
  - [npm, test]
# The check of each finding: it exits with 1 as long as the defect is there, and lands with the repair. It lies outside of scope.
regression: {path: "test/regressions/{n}.test.mjs", command: [node, "{file}"]}
budget: {usdPerDay: 150, usdPerIteration: 5}
minutesBetween: 30
agents:
  finder: {kind: claude, billing: subscription}
  designer: {kind: codex, billing: subscription}
  mender: {kind: claude, billing: subscription}
  verifier: {kind: codex, billing: subscription}
---

No input from outside runs code, reaches files or costs unbounded time or memory.
`;
