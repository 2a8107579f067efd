/** Times of the day as people write them: "14:30", "14.30", "14 h 30", "1430", "2:30 pm" and "9". */

/** What an empty field shows as its example. */
export const timeExample = "14:30";

/** @returns the time as requests have it, "14:30"; undefined for a text that is none */
export function typedTime(text: string): string | undefined {
  const plain = text.trim().replace(/\.?m\.?$/i, "m");
  const [, written, minutes = "00", half] =
    /^(\d{1,2})(?:\s?[:.h]?\s?(\d\d)|\s?h)?\s*([ap]m)?$/i.exec(plain) ?? [];
  if (written === undefined) return undefined;
  const isOfHalf = Number(written) >= 1 && Number(written) <= 12;
  if (half !== undefined && !isOfHalf) return undefined;
  const hours = half === undefined ? Number(written) : (Number(written) % 12) + (/p/i.test(half) ? 12 : 0);
  if (hours > 23 || Number(minutes) > 59) return undefined;
  return `${String(hours).padStart(2, "0")}:${minutes}`;
}
