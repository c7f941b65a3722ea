import { render } from "ink-testing-library";
import type { ReactNode } from "react";
import { DashboardContext } from "../../components/kit/dashboard-context.ts";
import { chooseTheme } from "../../components/kit/theme.ts";
import type { RunBuilder } from "../store/run-builder.ts";
import { storeOf } from "./stage.ts";

/** One component of a run, as text. */
export function show(
  run: RunBuilder,
  view: ReactNode,
  prepare: (returnType: ReturnType<typeof storeOf>) => void = () => undefined,
): string {
  const of = storeOf(run);
  prepare(of);
  const { lastFrame } = render(
    <DashboardContext value={{ store: of.store, theme: chooseTheme({ colours: "none", background: "unknown" }) }}>
      {view}
    </DashboardContext>,
  );
  of.feed.close();
  return lastFrame() ?? "";
}
