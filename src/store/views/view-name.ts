/** The views of the dashboard, in the order of the tab key. */
export const VIEWS = ["overview", "ticket", "graph", "timeline", "oracle", "ledger", "runs"] as const;
export type ViewName = (typeof VIEWS)[number];

/** The question that each view answers, in one line: for the palette and the help. */
export const VIEW_TITLES: Readonly<Record<ViewName, string>> = {
  overview: "what runs, what waits and why",
  ticket: "all about one ticket: its attempts, log, diff, prompt, evidence, cost",
  graph: "which ticket waits for which",
  timeline: "which agent worked when",
  oracle: "what the oracle said of each ticket, and the heals",
  ledger: "the numbers so far, beside earlier runs",
  runs: "all runs on this machine",
};
