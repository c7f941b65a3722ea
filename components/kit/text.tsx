import { Text } from "ink";
import type { ReactNode } from "react";
import type { Tone } from "../../src/store/labels/tone.ts";
import { useTheme } from "./dashboard-context.ts";

/** One line of the screen. Its content is measured beforehand; text that is still too long is cut, never wrapped. */
export function Line({ children }: { readonly children: ReactNode }): ReactNode {
  return <Text wrap="truncate">{children}</Text>;
}

/** A run of text within a Line, with the style of its meaning. */
export function Say({
  tone,
  bold,
  inverse,
  children,
}: {
  readonly tone?: Tone;
  readonly bold?: boolean;
  readonly inverse?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const style = useTheme()[tone ?? "plain"];
  return (
    <Text {...style} bold={bold ?? style.bold ?? false} inverse={inverse ?? false}>
      {children}
    </Text>
  );
}
