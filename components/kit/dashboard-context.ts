import { createContext, use, useLayoutEffect, useMemo } from "react";
import { useStore } from "zustand";
import type { DashboardState } from "../../src/store/dashboard-state.ts";
import type { DashboardStore } from "../../src/store/dashboard-store.ts";
import { DEFAULT_THEME, type Theme } from "./theme.ts";

interface Dashboard {
  readonly store: DashboardStore;
  readonly theme: Theme;
  /** The terminal shows hyperlinks. */
  readonly hasLinks?: boolean | undefined;
  /** Called with the name of a view each time it is drawn: shows needless work. */
  readonly onDraw?: ((view: string) => void) | undefined;
}

/** The context of every view: the store, and the styles of tones. */
export const DashboardContext = createContext<Dashboard | undefined>(undefined);

/** Reads the store. The selector must return the same value while nothing it reads has changed. */
export function useDashboard<T>(selector: (state: DashboardState) => T): T {
  const dashboard = use(DashboardContext);
  if (dashboard === undefined) throw new Error("a view stands outside of the dashboard");
  return useStore(dashboard.store, selector);
}

/** The state at the last change of one of its parts: the same object until then. `partsOf` must stay the same function. */
export function useStateParts(partsOf: (state: DashboardState) => readonly unknown[]): DashboardState {
  const select = useMemo(() => keepState(partsOf), [partsOf]);
  return useDashboard(select);
}

function keepState(partsOf: (state: DashboardState) => readonly unknown[]): (state: DashboardState) => DashboardState {
  let kept: { readonly state: DashboardState; readonly parts: readonly unknown[] } | undefined;
  return (state) => {
    const parts = partsOf(state);
    const isSame = kept?.parts.length === parts.length && parts.every((part, i) => Object.is(part, kept?.parts[i]));
    if (kept === undefined || !isSame) kept = { state, parts };
    return kept.state;
  };
}

/** The current styles of tones. */
export function useTheme(): Theme {
  return use(DashboardContext)?.theme ?? DEFAULT_THEME;
}

/** True if the terminal shows hyperlinks. */
export function useHasLinks(): boolean {
  return use(DashboardContext)?.hasLinks ?? false;
}

/** Reports (see `onDraw`) that a view is being drawn. */
export function useDrawn(view: string): void {
  const onDraw = use(DashboardContext)?.onDraw;
  useLayoutEffect(() => onDraw?.(view));
}
