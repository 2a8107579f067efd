/** The tiers that imported members have in another system. */
import type { TierRow } from "../../database/catalog.ts";
import { addDays, lastDay } from "../../domain/dates.ts";
import { tierFrom, withTier } from "../../domain/engine/standing.ts";
import type { TierStanding } from "../../domain/records.ts";
import { nameKey } from "../../domain/text.ts";
import { type LineError, type LineName, lineError } from "./imports.ts";

interface TierLine extends LineName {
  readonly tier?: string;
  readonly tier_until?: string;
}

/** The tiers with an id or a name. The case of the name makes no difference. */
function tiersNamed(text: string, tiers: readonly TierRow[]): TierRow[] {
  const byId = tiers.filter(({ tier_id }) => String(tier_id) === text);
  return byId.length > 0 ? byId : tiers.filter(({ name }) => nameKey(name) === nameKey(text));
}

/** Finds what forbids the tier of a line. */
export function failuresOfTier(line: TierLine, tiers: readonly TierRow[], today: string): LineError[] {
  const { tier, tier_until: day } = line;
  const named = tier === undefined ? undefined : tiersNamed(tier, tiers);
  const failures: LineError[] = [];
  if (named?.length === 0) failures.push(lineError(line, "tier", "tier_not_found", "names no tier"));
  if (named !== undefined && named.length > 1) {
    const ids = named.map(({ tier_id }) => tier_id).join(", ");
    failures.push(
      lineError(line, "tier", "not_allowed_value", `names several tiers: ${ids}; use the number`),
    );
  }
  if (day !== undefined && day < today)
    failures.push(lineError(line, "tier_until", "out_of_range", "is in the past: the tier has ended"));
  if (day !== undefined && day >= lastDay)
    failures.push(lineError(line, "tier_until", "out_of_range", `must be before ${lastDay}`));
  return failures;
}

/** The standing that a line without failures gives its member: the tier until the day of the line, or for its validity. */
export function importedStanding(
  { tier, tier_until }: TierLine,
  tiers: readonly TierRow[],
  today: string,
): TierStanding | undefined {
  const [held] = tier === undefined ? [] : tiersNamed(tier, tiers);
  if (held === undefined) return undefined;
  const reached = tierFrom(held, today);
  const until = tier_until === undefined ? reached.until : addDays(tier_until, 1);
  return withTier({ ...reached, until, ends_on: until }, []);
}
