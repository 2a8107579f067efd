/** Finding a page in a list of which only counts are known. */

/** A stretch of a list, and how many items it has; newest stretch first. */
export interface Segment {
  readonly items: number;
}

/** What to read of a segment: leave out the first `skip` items, then take `take`. */
export interface Slice<S extends Segment> {
  readonly segment: S;
  readonly skip: number;
  readonly take: number;
}

/**
 * The slices that make up `limit` items after the first `offset`, in order. Segments without items are passed
 * over; fewer items come back when the list ends.
 */
export function sliceSegments<S extends Segment>(
  segments: readonly S[],
  offset: number,
  limit: number,
): Slice<S>[] {
  const slices: Slice<S>[] = [];
  let skip = offset;
  let wanted = limit;
  for (const segment of segments) {
    if (wanted === 0) break;
    if (segment.items <= skip) {
      skip -= segment.items;
      continue;
    }
    const take = Math.min(wanted, segment.items - skip);
    slices.push({ segment, skip, take });
    wanted -= take;
    skip = 0;
  }
  return slices;
}

/** How many items the segments have together. */
export function itemsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.items, 0);
}
