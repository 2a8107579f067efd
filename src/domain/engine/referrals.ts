/** Referrals: a member brings another one, and both get something when the new one has bought and kept enough. */
import { withoutDirectionMarks } from "../text.ts";
import { actingOccasions, hasDay } from "./occasions.ts";
import type { Occasion, Rules } from "./rules.ts";

export const referralStatuses = ["open", "qualified", "granted", "lapsed"] as const;
export type ReferralStatus = (typeof referralStatuses)[number];

/** Why a referral is refused, in the order in which it is checked. */
export const referralRefusals = [
  ...(["own_code", "joined_later", "already_referred", "bought_before", "circle", "limit"] as const),
];
export type ReferralRefusal = (typeof referralRefusals)[number];

/** Crockford's base 32, without letters that look like digits. */
export const referralAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const referralCodeLength = 8;

/** The form in which codes are stored and compared: in capitals, without blanks and hyphens, with digits for look-alikes. */
export const referralKey = (code: string) =>
  withoutDirectionMarks(code)
    .replace(/[\s\p{Dash_Punctuation}]/gu, "")
    .toUpperCase()
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");

/** What decides whether a member can be brought by the owner of a code. */
export interface ReferralFacts {
  readonly is_own: boolean;
  /** Whether the owner joined after the member. */
  readonly joined_later: boolean;
  readonly is_referred: boolean;
  readonly has_bought: boolean;
  /** Whether the member brought the owner, or one who did, and so on. */
  readonly is_circle: boolean;
  /** How many members the owner has brought this year. */
  readonly brought: number;
}

/** Why a member can't be brought by the owner of a code; undefined: it can. */
export function refusalOf(
  { is_own, joined_later, is_referred, has_bought, is_circle, brought }: ReferralFacts,
  { referral_most_per_year: most }: Pick<Rules, "referral_most_per_year">,
): ReferralRefusal | undefined {
  if (is_own) return "own_code";
  if (joined_later) return "joined_later";
  if (is_referred) return "already_referred";
  if (has_bought) return "bought_before";
  if (is_circle) return "circle";
  return most !== null && brought >= most ? "limit" : undefined;
}

/** What the business gives to each side; none: it has no referrals. @param madeOn only for a referral that was made on this day */
export const referralOccasions = (
  rules: Pick<Rules, "enable_rp" | "occasions">,
  madeOn?: string,
): Occasion[] =>
  actingOccasions(rules).filter(
    (one) =>
      (one.kind === "referred" || one.kind === "referrer") && (madeOn === undefined || hasDay(one, madeOn)),
  );
