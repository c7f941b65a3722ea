import type { ReactNode } from "react";
import { Line, Say } from "../kit/text.tsx";

/** In the place of a view while no run is known. */
export function NoRun(): ReactNode {
  return (
    <Line>
      <Say tone="waiting">{" ◌ connecting: nothing is known of the run yet"}</Say>
    </Line>
  );
}
