/** What happened to a base between two commits. */
export interface TrustedSpan {
  readonly from: string;
  readonly to: string;
}

/** How tests are run as the first base of a run says, and as whoever may say so has changed it since. */
export interface Origin {
  /** The base before the first landing. */
  readonly first: string;
  /** What was allowed to change how tests are run: landings of tickets that may, and what somebody else did. In their order. */
  readonly trusted: readonly TrustedSpan[];
}

/** What a run knows of the base of one repository. */
export interface Landings extends Origin {
  /** The commit that landed last. */
  readonly last: string;
}

/** The same up to a later base: what lies between is no ticket's. */
export function upTo({ first, trusted, last }: Landings, base: string): Origin {
  return base === last ? { first, trusted } : withTrusted({ first, trusted }, { from: last, to: base });
}

/** With one more span behind the others. */
export function withTrusted({ first, trusted }: Origin, span: TrustedSpan): Origin {
  const before = trusted.at(-1);
  if (trusted.length === 0 && span.from === first) return { first: span.to, trusted };
  if (before?.to === span.from) return { first, trusted: [...trusted.slice(0, -1), { from: before.from, to: span.to }] };
  return { first, trusted: [...trusted, span] };
}
