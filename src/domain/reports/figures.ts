/** The figures of a range of days, from the reports of its periods. */

type Period = Readonly<Record<string, unknown>>;

/**
 * @param rows periods that make up the range
 * @param periods those whose active members are averaged: they don't add up
 */
export function figuresOf(rows: readonly Period[], periods: readonly Period[]) {
  const sum = (name: string, of = rows) => of.reduce((total, row) => total + Number(row[name]), 0);
  // What is counted for the business only is null for a location.
  const isKnown = (name: string) => rows.every((row) => row[name] !== null);
  const share = (part: number, whole: number) => (whole > 0 ? Math.round(part / whole) : null);
  return {
    ...Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, isKnown(name) ? sum(name) : null])),
    visits: sum("sales"),
    average_sale: share(sum("sales_amount"), sum("sales")),
    active_members: share(sum("active_members", periods), periods.length),
    redemption_percent: share(100 * sum("points_used"), sum("points_given")),
  };
}
