import { approveBound } from "../bound/approve-bound.ts";
import { checkBound } from "../bound/check-bound.ts";
import type { BoundFlags } from "../bound/flags.ts";
import { showBound } from "../bound/show-bound.ts";
import { suggestBound } from "../bound/suggest-bound.ts";

/** Shows, checks, suggests or approves by the rules of a repository. */
export function bound(flags: BoundFlags): Promise<number> {
  switch (flags.act) {
    case "show":
      return showBound(flags);
    case "check":
      return checkBound(flags);
    case "suggest":
      return suggestBound(flags);
    case "approve":
      return approveBound(flags);
  }
}
