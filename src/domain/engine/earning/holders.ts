/** Who earns by sales: a person, and an anonymous card if the rules of the business say so, but no gift card. */
import { type Anonymous, isMoneyOnly } from "../../cards.ts";
import type { Rules } from "../rules.ts";

interface Holder {
  readonly anonymous?: Anonymous | null;
}

/** Whether sales of a member earn points and stamps, and reach tiers. */
export const earnsBy = ({ anonymous_cards_earn }: Rules, { anonymous = null }: Holder) =>
  anonymous === null || (anonymous_cards_earn && !isMoneyOnly({ anonymous }));

/** The rules by which the sales of a member earn: without all that gives something, if it earns nothing. */
export function rulesFor(rules: Rules, member: Holder): Rules {
  return earnsBy(rules, member)
    ? rules
    : { ...rules, program: null, promotions: [], stamp_cards: [], tiers: [] };
}
