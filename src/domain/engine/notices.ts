/** Notices: events that say that points, vouchers, stamps or tiers of members end soon. */
import { addDays } from "../dates.ts";
import { type EventName, mostMembersInEvent, type NewEvent } from "../events.ts";
import type { HeldVoucher } from "../records.ts";

/** Something of a member that ends on a day. */
export interface ExpiringDay {
  readonly contact_id: number;
  /** The first day on which it can no longer be used. */
  readonly day: string;
  readonly event: "points_expire" | "voucher_lapses" | "tier_ends" | "stamps_lapse";
  /** The points, or the number of vouchers, stamp cards or tiers. */
  readonly amount: number;
}

export interface ExpiringVoucher
  extends Pick<
    HeldVoucher,
    "contact_id" | "held_voucher_id" | "voucher_id" | "coupon_value" | "location_id"
  > {
  readonly day: string;
}

/** A tier that ends, with the sales that would renew it. */
export interface ExpiringTier {
  readonly contact_id: number;
  readonly tier_id: number;
  readonly since: string;
  readonly by_hand: boolean;
  /** Null if sales don't renew it; 0 if it will be renewed unless sales are refunded. */
  readonly sales_missing: number | null;
  /** The days on which these sales renew it. */
  readonly from: string | null;
  readonly until: string | null;
}

export interface ExpiringCard {
  readonly contact_id: number;
  readonly day: string;
  readonly stamp_card_id: number;
  readonly stamps: number;
}

type Notice = Pick<NewEvent, "type" | "contact_ids" | "location_id" | "data">;
interface Item {
  readonly contact_id: number;
  readonly day: string;
  readonly location_id?: number | null;
}

/** Makes the notices about what ends, in the order of the days. Several members share a notice. */
export function noticesOf(
  days: readonly ExpiringDay[],
  vouchers: readonly ExpiringVoucher[],
  tiers: readonly ExpiringTier[],
  cards: readonly ExpiringCard[],
): Notice[] {
  const tierOfMember = new Map(tiers.map((tier) => [tier.contact_id, tier]));
  const of = (event: ExpiringDay["event"]) => days.filter((one) => one.event === event);
  const points = of("points_expire").map(({ contact_id, day, amount }) => {
    return { contact_id, day, points: amount };
  });
  const ending = of("tier_ends").flatMap(({ contact_id, day }) => {
    const tier = tierOfMember.get(contact_id);
    return tier === undefined ? [] : { ...tier, day };
  });
  const sum = (items: readonly { points: number }[]) => items.reduce((all, one) => all + one.points, 0);
  return [
    ...batches("reward_points.expiring", points, (members) => ({ points: sum(members), members })),
    ...batches("voucher.expiring", vouchers, (held) => ({ vouchers: held })),
    ...batches("stamp_card.expiring", cards, (members) => ({ cards: members })),
    ...batches("tier.expiring", ending, (members) => ({ members })),
  ];
}

/** Divides items into notices. Each is about one day, and one location. */
function batches<One extends Item>(
  type: EventName,
  items: readonly One[],
  dataOf: (items: Omit<One, "day" | "location_id">[]) => object,
): Notice[] {
  const together = new Map<string, One[]>();
  for (const item of items) {
    const name = `${item.day} ${item.location_id}`;
    together.set(name, (together.get(name) ?? []).concat(item));
  }
  return [...together.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / mostMembersInEvent) }, (_, index) => {
      const some = all.slice(index * mostMembersInEvent, (index + 1) * mostMembersInEvent);
      const { day, location_id = null } = some[0] as One;
      const data = dataOf(some.map(({ day: _, location_id: __, ...item }) => item));
      const contact_ids = [...new Set(some.map(({ contact_id }) => contact_id))];
      return { type, contact_ids, location_id, data: { valid_through: addDays(day, -1), ...data } };
    }),
  );
}
