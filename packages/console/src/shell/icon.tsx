/** The picture of a page in the menu, in lines. */
import type { texts } from "../texts/en/texts.ts";
import icons from "./icons.json" with { type: "json" };

const lines: Readonly<Record<keyof typeof texts.menu.pages | "search", string>> = icons;

const pen = { fill: "none", stroke: "currentColor", strokeWidth: 1.6, strokeLinecap: "round" } as const;

/** @param props.of the name of a page */
export function Icon({ of }: { readonly of: string }) {
  return (
    <svg width="18" viewBox="0 0 24 24" aria-hidden="true" {...pen}>
      <path d={lines[of as keyof typeof lines]} />
    </svg>
  );
}
