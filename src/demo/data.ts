/** Reads the demo business from its file, and dates its past back from now. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DemoDefinitions, DemoMember } from "../database/demo.ts";
import { type EventType, eventTypes, generatedReference } from "../domain/ledger.ts";
import { packageRoot } from "../package.ts";

/** The file says what each part means. */
type DemoData = Pick<DemoDefinitions, "business" | "tiers" | "program" | "rules" | "vouchers"> & {
  readonly locations: readonly string[];
  readonly reward_settings: DemoDefinitions["rewardSettings"];
  readonly members: readonly (Omit<DemoMember, "tier_id" | "joined_at"> & {
    readonly tier: number | null;
    readonly joined: number;
  })[];
  readonly entries: readonly (readonly [
    member: number,
    event_type: EventType,
    amount: number,
    location: number | null,
    reference_id: string | null,
    reason: string | null,
    time: number,
  ])[];
};

const file = join(packageRoot, "demo/lantern-coffee.json");
const dayMilliseconds = 24 * 60 * 60 * 1000;

export type Story = ReturnType<typeof readDemoData>;

/**
 * Reads the demo business. Members, tiers and locations are named by their place in their list.
 * @param now milliseconds; the last entry is from the day before, at the latest
 * @returns the history in the order of time
 */
export function readDemoData(now: number) {
  const data = JSON.parse(readFileSync(file, "utf8")) as DemoData;
  const midnight = Math.floor(now / dayMilliseconds) * dayMilliseconds;
  const dated = (secondsBefore: number) => midnight - secondsBefore * 1000;
  const { locations: locationNames, reward_settings: rewardSettings, members, entries, ...rest } = data;
  const balances = new Map<string, number>();
  const history = entries.map(([member, event_type, amount, location, reference_id, reason, time], index) => {
    const account = `${member} ${eventTypes[event_type].account}`;
    const balance_after = (balances.get(account) ?? 0) + amount;
    balances.set(account, balance_after);
    return {
      ...{ member, event_type, amount, balance_after, location, reason, created_at: dated(time) },
      reference_id: reference_id ?? generatedReference(event_type, index + 1),
    };
  });
  return {
    definitions: { locationNames, rewardSettings, ...rest },
    members: members.map(({ joined, ...member }) => ({ ...member, joined_at: dated(joined) })),
    history,
  };
}
