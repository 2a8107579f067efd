/** The reasons for what a page shows, in sentences. */
import type { DataOf } from "../api/declarations.ts";
import { momentText } from "./dates.ts";
import { decimalText } from "./decimals.ts";
import { texts } from "./en.ts";

type Money = (amount: number) => string;

/** Why a sale earned its points. */
export function whyTexts(sale: DataOf<"/op/sales/get">, money: Money): readonly string[] {
  const t = texts.why;
  const words = sale.why.map((reason) => {
    if (reason.code === "earned") return t.earned(money(reason.base), decimalText(reason.points, 0));
    if (reason.code === "promotion") return t.promotion(reason.name, decimalText(reason.points, 0));
    if (reason.code === "capped") return t.capped(decimalText(reason.maximum, 0));
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

/** An address can have 2,000 characters. */
export const shortAddress = (url: string) => (url.length > 80 ? `${url.slice(0, 79)}…` : url);
