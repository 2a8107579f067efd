/** Hints at the right path for requests to a wrong one. */

/** What stays the same when a path is written wrongly: case, slashes, hyphens, underscores and plurals don't. */
function plain(segments: readonly string[]): string {
  return segments
    .map((segment) =>
      segment
        .toLowerCase()
        .replace(/[^a-z0-9]/g, "")
        .replace(/s$/, ""),
    )
    .join("/");
}

/** The longest path that is looked at. A longer one is no slip of a path. */
const longestPath = 200;

/**
 * Makes the function that finds the path that was probably meant. The base path may be missing, repeated or another one: what counts
 * begins with the last segment `sp` or `op`. Without one, a path that only one operation has behind its `sp` is found, too.
 * @param paths the paths of all operations, with the base path
 */
export function pathHints(paths: readonly string[]): (path: string) => string | undefined {
  const known = new Map<string, string>();
  for (const path of paths) {
    const segments = path.split("/").filter(Boolean);
    const from = rootOf(segments);
    known.set(plain(segments.slice(from)), path);
    // Partners' operations come first, and most callers are partners.
    const short = plain(segments.slice(from + 1));
    if (!known.has(short)) known.set(short, path);
  }
  return (path) => {
    if (path.length > longestPath) return undefined;
    const segments = path.split("/").filter(Boolean);
    const from = rootOf(segments);
    if (from >= 0) return known.get(plain(segments.slice(from)));
    return known.get(plain(segments)) ?? known.get(plain(segments.slice(1)));
  };
}

const rootOf = (segments: readonly string[]) => segments.findLastIndex((one) => /^[so]p$/i.test(one));
