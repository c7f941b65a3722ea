import type { TrackerRequest } from "../../domain/batch/read.ts";
import type { OutsideTracker, TrackerSurroundings } from "./outside-tracker.ts";
import { programTrackerOf } from "./program-tracker.ts";
import { serviceTrackerOf } from "./service-tracker.ts";

/**
 * The tracker that a batch names, which has not been asked anything yet. Throws a UserError (exit 4) if its program is one that
 * agents' changes could rewrite.
 */
export function outsideTrackerOf(request: TrackerRequest, surroundings: TrackerSurroundings): OutsideTracker {
  const { tracker } = request;
  return tracker.kind === "command"
    ? programTrackerOf({ ...request, tracker }, surroundings)
    : serviceTrackerOf({ ...request, tracker }, surroundings);
}
