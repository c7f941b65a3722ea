/** An answer to go out in place of the true one. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Mishap = Answer | "reset" | "truncate" | "hang";

/** A mishap. With `after`, what was asked for takes place before it: the answer is lost. With `lateMs`, the answer comes so much later. */
export type Fault = Mishap | { readonly after: Mishap } | { readonly lateMs: number };

/** True if what was asked for takes place. */
export function isCarriedOut(fault: Fault): fault is Exclude<Fault, Mishap> {
  return typeof fault === "object" && ("after" in fault || "lateMs" in fault);
}

/** The mishap that the answer meets. */
export function mishapOf(fault: Fault | undefined): Mishap | undefined {
  if (fault === undefined || !isCarriedOut(fault)) return fault;
  return "after" in fault ? fault.after : undefined;
}
