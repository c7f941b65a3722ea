/** Nodes that each connection of an issue gives in one page. */
export interface PageSizes {
  readonly labels: number;
  readonly comments: number;
  readonly attachments: number;
  readonly inverseRelations: number;
  readonly children: number;
  readonly history: number;
}

/**
 * Sizes for many issues at once. Linear refuses a query above 10,000 points: a property costs 0.1, an object 1, and a connection
 * multiplies what is in it by its page size (Linear's documentation, "Complexity"). With these sizes an issue costs some 97 points
 * even if page infos are multiplied as well, so that 100 issues fit into one request.
 */
export const SMALL: PageSizes & { readonly first: number } = {
  first: 100,
  labels: 6,
  comments: 4,
  attachments: 3,
  inverseRelations: 5,
  children: 3,
  history: 2,
};

/** Sizes for the issues of which `SMALL` did not give everything: some 1,130 points each. */
export const LARGE: PageSizes & { readonly first: number } = {
  first: 8,
  labels: 50,
  comments: 50,
  attachments: 50,
  inverseRelations: 50,
  children: 50,
  history: 50,
};
