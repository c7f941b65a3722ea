/** The label of a ticket that is left to a person. Its name is compared exactly. */
export const GATE_LABEL = "human-gated";

/** Begins the label that names a ticket's repository. */
export const REPO_LABEL = "repo:";

/** Begins a label that names something that only one ticket may use at a time. */
export const EXCLUSIVE_LABEL = "exclusive:";
