/** Which parts of a search to look up in an index of trigrams, of which each costs reading a list. */

/** What more of all texts have is no use in an index: reading its list costs as much as reading the texts. */
const frequentShare = 1 / 4;
/** What no more of all texts have is looked up in any case: its list is short. */
const rareShare = 1 / 100;
/** More than these narrow nothing down. */
const mostWindows = 8;
const windowLength = 3;

/** A trigram holds word characters, and knows where a word begins and ends; one first letter alone narrows little. */
const hasTrigram = /[\p{L}\p{N}]{2}/u;

/** What is known of the texts that a business's searches look through. */
export interface SearchSample {
  /** What searches look through, of some hundred members of a business that has many; else of none. */
  readonly texts: readonly string[];
  /** Whether a quarter of the database's members or more are this business's, and it has many. */
  readonly mostOfAll: boolean;
}

/**
 * Picks the parts of a search that narrow the texts down most at the least cost, by how frequent they are in a sample.
 * A text that contains the search contains the parts, in their order and side by side; not the other way round.
 * @param sample some of the texts; none when it is not worth while, and the search is taken whole
 * @returns none when an index is of no use: all parts are too short, or too frequent
 */
export function rareParts(search: string, sample: readonly string[]): string[] {
  const characters = [...search];
  const windows = characters
    .map((_, at) => ({ at, text: characters.slice(at, at + windowLength).join("") }))
    .slice(0, 1 - windowLength)
    .filter(({ text }) => hasTrigram.test(text));
  if (windows.length > 0 && sample.length === 0) return [search];
  const counted = windows
    .map((window) => ({ ...window, count: sample.filter((text) => text.includes(window.text)).length }))
    .filter(({ count }) => count <= sample.length * frequentShare)
    .sort((a, b) => a.count - b.count);
  const chosen: number[] = [];
  let left = sample;
  for (const { at, text, count } of counted) {
    if (chosen.length === mostWindows) break;
    const narrowed = left.filter((one) => one.includes(text));
    if (chosen.length > 0 && count > sample.length * rareShare && narrowed.length === left.length) continue;
    chosen.push(at);
    left = narrowed;
  }
  return joinWindows(
    characters,
    chosen.sort((a, b) => a - b),
  );
}

/** The windows as texts; those that touch or overlap become one. */
function joinWindows(characters: readonly string[], ascending: readonly number[]): string[] {
  const runs: { from: number; until: number }[] = [];
  for (const at of ascending) {
    const last = runs.at(-1);
    if (last !== undefined && at <= last.until) last.until = at + windowLength;
    else runs.push({ from: at, until: at + windowLength });
  }
  return runs.map(({ from, until }) => characters.slice(from, until).join(""));
}
