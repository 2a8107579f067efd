/** Fits text into columns of a terminal. */
import stringWidth from "string-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The number of columns that text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cuts text to a width. Text that is cut ends with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const more = widthOf(segment);
    if (used + more > width - 1) break;
    kept += segment;
    used += more;
  }
  return `${kept}…`;
}

/** Fills text with spaces up to a width. */
export function pad(text: string, width: number, align: "left" | "right"): string {
  const room = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? room + text : text + room;
}

/** Replaces control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, "�");
}
