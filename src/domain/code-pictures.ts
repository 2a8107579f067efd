/** Codes that scanners read, as pictures in SVG: one rectangle for each run of dark modules. */

const svg = (size: string, path: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" preserveAspectRatio="none"><path d="${path}"/></svg>`;

/** Draws a QR code. @param rows whether each module is dark, with the light border that scanners need */
export function squaresSvg(rows: readonly (readonly boolean[])[]): string {
  const path = rows.flatMap((row, y) => runsOf(row).map(([x, n]) => `M${x} ${y}h${n}v1h-${n}z`));
  return svg(`${rows.length} ${rows.length}`, path.join(""));
}

/** The light modules that a barcode needs on each side. */
const quiet = 10;

/** Draws a barcode. @param modules "1" for a dark one and "0" for a light one */
export function barsSvg(modules: string): string {
  const path = runsOf([...modules].map((one) => one === "1")).map(
    ([x, n]) => `M${x + quiet} 0h${n}v1h-${n}z`,
  );
  return svg(`${modules.length + 2 * quiet} 1`, path.join(""));
}

/** Where dark modules begin, and how many follow each other. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last !== undefined && last[0] + last[1] === x) last[1] += 1;
    else runs.push([x, 1]);
  }
  return runs;
}
