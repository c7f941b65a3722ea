import { COMPLEXITIES, type Complexity } from "../complexity/classes.ts";
import { type ComplexitySpec, type Route, resolveRoutes } from "./complexity-spec.ts";
import type { NoteProblem, Path } from "./problem.ts";
import type { BatchFile } from "./schema.ts";

/** Bounds of a class, and the limits that they tighten. */
const BOUNDS = ["attempts", "usdPerTicket", "minutesPerAttempt"] as const;

/** Reports routes that nobody could follow: reviews and plans without a reviewer, and bounds that the batch's own make void. */
export function checkComplexity({ complexity: spec, reviewer, secondReviewer, limits }: BatchFile, report: NoteProblem): void {
  const routes = resolveRoutes(spec);
  if (routes === undefined) return;
  // A second reviewer without a first one is told by itself.
  if (reviewer === undefined && secondReviewer === undefined) {
    reportReviews(spec, routes, report);
    reportPlans(routes, report);
  }
  for (const one of COMPLEXITIES) checkBounds(["complexity", one], routes[one], { limits, report });
}

/** Reports the first class with reviews that nobody could make. */
function reportReviews(spec: ComplexitySpec | undefined, routes: Readonly<Record<Complexity, Route>>, report: NoteProblem): void {
  const first = COMPLEXITIES.find((one) => routes[one].reviewers !== undefined);
  if (first === undefined) return;
  const isNamed = typeof spec === "object" && spec[first] !== undefined;
  const reviews = routes[first].reviewers === 1 ? "a review" : "two reviews";
  const hint = isNamed ? 'name a "reviewer", or leave "reviewers" out' : `name a "reviewer", or set "${first}": {}`;
  report(["complexity", ...(isNamed ? [first] : [])], `${first} tickets get ${reviews}, and the batch has no reviewer`, hint);
}

/** Reports the first class with a plan that nobody could approve, unless its reviews are reported already. */
function reportPlans(routes: Readonly<Record<Complexity, Route>>, report: NoteProblem): void {
  if (COMPLEXITIES.some((one) => routes[one].reviewers !== undefined)) return;
  const first = COMPLEXITIES.find((one) => routes[one].plan === true);
  if (first === undefined) return;
  report(
    ["complexity", first, "plan"],
    `${first} tickets get a plan first, which a reviewer approves, and the batch has no reviewer`,
    'name a "reviewer", or leave "plan" out',
  );
}

function checkBounds(
  path: Path,
  route: Route,
  { limits, report }: { readonly limits: BatchFile["limits"]; readonly report: NoteProblem },
): void {
  for (const key of BOUNDS) {
    const bound = route[key];
    if (bound === undefined || bound <= limits[key]) continue;
    report(
      [...path, key],
      `is more than limits.${key} (${limits[key]}), which bounds every ticket`,
      "lower it, or raise that limit",
    );
  }
}
