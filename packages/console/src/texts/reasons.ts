/** The reasons for what a page shows, in sentences. */
import type { DataOf } from "../api/declarations.ts";
import { dayText, momentText } from "./dates.ts";
import { texts } from "./en/texts.ts";
import { isolated } from "./isolated.ts";

type Money = (amount: number) => string;

/** Why a sale earned its points. */
export function whyTexts(sale: DataOf<"/op/sales/get">, money: Money): readonly string[] {
  const t = texts.why;
  const words = sale.why.map((reason) => {
    if (reason.code === "earned" || reason.code === "earned_by_rate")
      return t[reason.code](money(reason.base), reason.points);
    if (reason.code === "promotion")
      // A voucher or stamps have only the words for the till.
      return reason.points > 0 ? t.promotion(reason.name, reason.points) : reason.text;
    if (reason.code === "capped") return t.capped[reason.period](reason.maximum);
    if (reason.code === "below_minimum") return t.below_minimum(money(reason.minimum));
    if (reason.code === "lines_excluded") return t.lines_excluded(money(reason.amount));
    return t[reason.code];
  });
  const otherwise = sale.voucher_amount + sale.points_amount;
  const notEligible = sale.lines.length > 0 ? 0 : sale.amount - sale.eligible_amount;
  return [
    ...words,
    ...(otherwise > 0 ? [t.paidOtherwise(money(otherwise))] : []),
    ...(notEligible > 0 ? [t.notEligible(money(notEligible))] : []),
  ];
}

type Tier = Pick<DataOf<"/op/tiers/list">, "program_id" | "name" | "members">;

/** Who earns by a program. @param removed its name, if it is about to be deleted */
export function programUse(
  programId: number,
  usual: number | null,
  tiers: readonly Tier[],
  removed?: string,
) {
  const t = texts.programs;
  const isUsual = usual === programId;
  const own = tiers.filter(({ program_id }) => program_id === programId);
  const members = own.reduce((sum, tier) => sum + (tier.members ?? 0), 0);
  const words = [
    isUsual && t.usual,
    isUsual && removed && t.withoutUsual,
    own.length > 0 && t.ofTiers(own.map(({ name }) => name).join(", "), members),
    own.length > 0 && removed && t.withoutOfTiers,
  ].filter(Boolean);
  return [removed && t.removeHelp(removed), ...(words.length === 0 ? [t.unused] : words)]
    .filter(Boolean)
    .join(" ");
}

type Endpoint = Omit<DataOf<"/op/webhook-endpoints/list">, "types">;

/** Since when, or why, an endpoint gets no events. */
export function endpointText(endpoint: Endpoint): string | null {
  const { disabled_reason, failing_since, last_success_at, last_error } = endpoint;
  const { noSuccess, lastFailed, failing, disabled } = texts.webhooks;
  if (disabled_reason !== null) return disabled[disabled_reason];
  if (failing_since !== null) return failing(momentText(failing_since));
  return last_success_at === null ? noSuccess : last_error && lastFailed;
}

/** Why there was no response. The service says it in English, with a code, or only what a library says. */
export function noResponseText(error: unknown): string {
  const [, code = ""] = /\((\w+)\)$/.exec(String(error ?? "")) ?? [];
  const own = (texts.webhooks.noResponse as Readonly<Record<string, string>>)[code];
  return own ? `${own} (${code})` : String(error ?? "");
}

/** An address can have 2,000 characters. */
export const shortAddress = (url: string) => (url.length > 80 ? `${url.slice(0, 79)}…` : url);

/** What the points of a member are worth, and what becomes of them. */
export function pointsTexts(points: DataOf<"/op/members/balances">, money: Money): readonly string[] {
  const t = texts.member;
  const { points_amount, points_pending, points_expiring, points_owed } = points;
  const expiring = points_expiring.flatMap(({ points: count, valid_through: day }) =>
    day === null ? [] : t.expires(count, dayText(day)),
  );
  return [
    ...(points_amount > 0 ? [t.worth(money(points_amount))] : []),
    ...expiring.slice(0, 1),
    ...points_pending.map(({ matures_on, points: count }) => t.pending(count, dayText(matures_on))),
    ...(points_owed > 0 ? [t.owed(points_owed)] : []),
  ];
}

type Member = DataOf<"/op/members/get">;

/** Until when a member has its tier, and what it needs to keep it. */
export function tierTexts({ tier, keep_tier: keep }: Member, money: Money): readonly string[] {
  const t = texts.member;
  const missing = (one: NonNullable<typeof keep>) =>
    t.keepTier(money(one.sales_missing), dayText(one.from), dayText(one.until));
  return [
    ...(tier ? [t.tierUntil(dayText(tier.valid_through))] : []),
    ...(tier?.by_hand ? [t.tierByHand] : []),
    ...(keep ? [keep.sales_missing === 0 ? t.keepsTier : missing(keep)] : []),
  ];
}

/** What a member needs for the next tier. */
export function nextTierText(next: NonNullable<Member["next_tier"]>, money: Money): string {
  const t = texts.member;
  const { sales_missing, reach_by } = next;
  const name = isolated(next.name);
  const words = sales_missing === 0 ? t.nextTierSoon(name) : t.nextTier(money(sales_missing), name);
  return [words, reach_by && t.reachBy(dayText(reach_by))].filter(Boolean).join(" ");
}
