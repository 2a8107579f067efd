/** What decisions did that the entries of the ledger don't tell. Reports count it by day and location. */
import type { OccasionGrant } from "../occasion-grant.ts";
import type {
  HeldVoucher,
  Kind,
  MemberStampCard,
  Movement,
  Records,
  Refund,
  Sale,
  TierStanding,
} from "../records.ts";
import { grantChanges } from "./promotions/totals.ts";
import { moneyGivenBack } from "./refund.ts";
import { usesOfPublicCode } from "./vouchers/limits.ts";

/** Something that happened: how often, and for how much. Both are negative for what was undone. */
export interface Happening {
  readonly what:
    | ("bonus" | "sale_without_entry" | "refund_without_entry")
    | ("voucher_issue" | "voucher_use" | "voucher_lapse")
    | ("referral_open" | "referral_granted" | "referral_lapsed")
    | "occasion"
    /** With the number of the promotion. */
    | `${"promotion_points" | "promotion_taken" | "promotion_sales"} ${number}`
    /** With the number of the stamp card. */
    | `${"stamps_given" | "stamps_full" | "stamps_lapsed"} ${number}`
    /** With the number of the tier. */
    | `${"tier_reached" | "tier_lost"} ${number}`
    /** With the number of the voucher definition: the uses of its public code. */
    | `code_uses ${number}`;
  readonly items: number;
  readonly amount: number;
  /** It is counted for all locations together only: by day, or also in all. */
  readonly together?: "by_day" | "in_all";
}

type HappeningsOf<Name extends Kind> = (
  before: Records[Name] | undefined,
  after: Records[Name],
  day: string,
) => readonly Happening[];

const happenings = {
  /** A bonus has the same event type as the amount that was paid. */
  movement(before: Movement | undefined, { kind, promo_amount, reversed }: Movement): readonly Happening[] {
    if (kind === "payment" || promo_amount === 0 || before?.reversed === reversed) return [];
    const items = reversed ? -1 : 1;
    return [{ what: "bonus", items, amount: items * promo_amount }];
  },
  /** A sale has no entry if vouchers and points paid all of it. */
  sale(before: Sale | undefined, after: Sale): readonly Happening[] {
    const promoted = [...promotionHappenings(before, after), ...stampsOfSale(before, after)];
    if (before !== undefined || after.wallet_used + after.amount_due > 0) return promoted;
    return [{ what: "sale_without_entry", items: 1, amount: 0 }, ...promoted];
  },
  refund(_: Refund | undefined, { wallet_back, money_back }: Refund): readonly Happening[] {
    return wallet_back + money_back > 0 ? [] : [{ what: "refund_without_entry", items: 1, amount: 0 }];
  },
  /** A voucher without a value has no entries, and lapsing and giving back have the same event type. */
  held_voucher(before: HeldVoucher | undefined, after: HeldVoucher): readonly Happening[] {
    const became = (status: HeldVoucher["status"]) =>
      Number(after.status === status) - Number(before?.status === status);
    const items = {
      voucher_issue: Number(before === undefined) - became("returned"),
      voucher_use: became("redeemed"),
      voucher_lapse: became("lapsed"),
    };
    const counted = codeUses(before, after);
    const happened = Object.entries(items)
      .filter(([, number]) => number !== 0)
      .map(([what, number]) => ({
        what: what as keyof typeof items,
        items: number,
        amount: number * after.coupon_value,
      }));
    return counted.length === 0 ? happened : [...happened, ...counted];
  },
  occasion_grant(before: OccasionGrant | undefined, { points }: OccasionGrant): readonly Happening[] {
    return before === undefined
      ? [{ what: "occasion", items: 1, amount: points ?? 0, together: "by_day" }]
      : [];
  },
  /** The stamps of sales are counted with the sales. */
  member_stamp_card(
    before: MemberStampCard | undefined,
    after: MemberStampCard,
    day: string,
  ): readonly Happening[] {
    const { stamp_card_id: id } = after;
    const full = after.completed - (before?.completed ?? 0);
    // One that was full on its first day, and begun again, has fewer stamps on the same day. After a merge, it has not. A merge, and a
    // voucher that is taken back, leave a card that was begun before.
    const isOther = full > 0 && after.stamps < (before?.stamps ?? 0);
    const isBegun = after.begun_on === day && (isOther || before?.begun_on !== day);
    const lapsed = after.lapsed - (before?.lapsed ?? 0);
    const all: Happening[] = [
      { what: `stamps_given ${id}`, items: Number(isBegun), amount: after.by_hand - (before?.by_hand ?? 0) },
      { what: `stamps_full ${id}`, items: full, amount: 0 },
      { what: `stamps_lapsed ${id}`, items: Math.sign(lapsed), amount: lapsed },
    ];
    return inDays(all);
  },
  /** A tier that is renewed stays. */
  tier_standing(before: TierStanding | undefined, { tier_id: id }: TierStanding): readonly Happening[] {
    const former = before?.tier_id ?? null;
    if (former === id) return [];
    const one = { items: 1, amount: 0, together: "by_day" } as const;
    const lost: readonly Happening[] = former === null ? [] : [{ ...one, what: `tier_lost ${former}` }];
    return id === null ? lost : [...lost, { ...one, what: `tier_reached ${id}` }];
  },
} satisfies { readonly [Name in Kind]?: HappeningsOf<Name> };

/** Those that happened, for the totals of days. */
const inDays = (all: readonly Happening[]) =>
  all
    .filter(({ items, amount }) => items !== 0 || amount !== 0)
    .map((one): Happening => ({ ...one, together: "by_day" }));

/** The stamps that a sale gave, or that a refund took off. */
function stampsOfSale(before: Sale | undefined, { stamps }: Sale): Happening[] {
  return inDays(
    (stamps ?? []).map(({ stamp_card_id: id, left }, nth) => {
      return { what: `stamps_given ${id}`, items: 0, amount: left - (before?.stamps?.[nth]?.left ?? 0) };
    }),
  );
}

/** The uses of a public code. */
function codeUses(before: HeldVoucher | undefined, after: HeldVoucher): Happening[] {
  const items = usesOfPublicCode(before, after);
  if (items === 0) return [];
  return [{ what: `code_uses ${after.voucher_id}`, items, amount: 0, together: "in_all" }];
}

/** What promotions gave and took back, and what the sales brought for which they give something. */
function promotionHappenings(before: Sale | undefined, after: Sale): Happening[] {
  const changes = grantChanges(before, after);
  if (changes.length === 0) return [];
  const [net, netBefore] = [netOf(after), before === undefined ? 0 : netOf(before)];
  const happened: Happening[] = [];
  for (const { promotion_id: id, given, points, gave, gives } of changes) {
    const bought = (gives ? net : 0) - (gave ? netBefore : 0);
    const isChanged = given !== 0 || points !== 0;
    if (isChanged)
      happened.push({ what: `promotion_points ${id}`, items: given, amount: points, together: "in_all" });
    if (bought !== 0)
      happened.push({ what: `promotion_sales ${id}`, items: 0, amount: bought, together: "by_day" });
    if (isChanged && before !== undefined)
      happened.push({ what: `promotion_taken ${id}`, items: -given, amount: -points, together: "by_day" });
  }
  return happened;
}

function netOf(sale: Sale): number {
  const { money_back, wallet_back } = moneyGivenBack(sale);
  return sale.wallet_used + sale.amount_due - money_back - wallet_back;
}

/** What the change of a record means. @param before undefined for a new record @param day of the change */
export function happeningsOf<Name extends Kind>(
  kind: Name,
  before: Records[Name] | undefined,
  after: Records[Name],
  day: string,
): readonly Happening[] {
  return (happenings as { readonly [One in Kind]?: HappeningsOf<Name> })[kind]?.(before, after, day) ?? [];
}
