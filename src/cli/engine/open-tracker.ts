import type { TrackerRequest } from "../../domain/batch/read.ts";
import type { OutsideTracker, TrackerSurroundings } from "./outside-tracker.ts";

/**
 * The tracker that a batch names, which has not been asked anything yet. Only the code of its kind is loaded. Throws a UserError
 * (exit 4) if its program is one that agents' changes could rewrite.
 */
export async function outsideTrackerOf(request: TrackerRequest, surroundings: TrackerSurroundings): Promise<OutsideTracker> {
  const { tracker } = request;
  if (tracker.kind === "command") {
    const { programTrackerOf } = await import("./program-tracker.ts");
    return programTrackerOf({ ...request, tracker }, surroundings);
  }
  const { serviceTrackerOf } = await import("./service-tracker.ts");
  return serviceTrackerOf({ ...request, tracker }, surroundings);
}
