/** Times of the day as people write them: "14:30", "14.30", "14 h 30", "14:30 Uhr", "1430", "2:30 p. m." and "9". */

/** Of the message about a text that is no time. */
export const timeExample = "14:30";

/** @returns the time as requests have it, "14:30"; undefined for a text that is none */
export function typedTime(text: string): string | undefined {
  const [, written, minutes = "00", half] =
    /^(\d{1,2})(?:\s?[:.h]?\s?(\d\d)(?::\d\d)?)?\s*(?:([ap])\.?\s?m\.?|uhr|h)?$/i.exec(text.trim()) ?? [];
  if (written === undefined) return undefined;
  const isOfHalf = Number(written) >= 1 && Number(written) <= 12;
  if (half !== undefined && !isOfHalf) return undefined;
  const hours = half === undefined ? Number(written) : (Number(written) % 12) + (/p/i.test(half) ? 12 : 0);
  if (hours > 23 || Number(minutes) > 59) return undefined;
  return `${String(hours).padStart(2, "0")}:${minutes}`;
}
