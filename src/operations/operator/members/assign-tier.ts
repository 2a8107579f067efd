import { fields, Rejection, Type, writeOperation } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { lockStanding } from "../../../database/members/members.ts";
import { isMoneyOnly } from "../../../domain/cards.ts";
import { tierChanges, tierValidThrough } from "../../../domain/engine/tiers/progress.ts";
import { tierByHand } from "../../../domain/engine/tiers/tier.ts";
import { openLedger } from "../../../pipeline/postings/open-ledger.ts";
import { memberStanding, nullableTierId, rejectMerged } from "../../members/members.ts";
import { nullableDay } from "../../sales/sales.ts";

const needs = { balances: ["sales"], points: () => 0, tier: true } as const;

export const assignTier = writeOperation({
  path: "/op/members/assign-tier",
  role: "support",
  event: "member.tier_assigned",
  summary: "Assign a tier to a member",
  message: "Tier assigned.",
  description:
    "Gives a member a tier of the business for the validity of the tier, from today on, or removes its tier if tier_id is " +
    "null. Until the last day, the member can reach a higher tier by its sales, but refunds don't change the tier.",
  input: {
    business_id: fields.businessId,
    contact_id: fields.contactId,
    tier_id: nullableTierId,
  },
  output: Type.Object({
    ...memberStanding.properties,
    valid_through: nullableDay(
      "The last day of the tier, if the member does not qualify again; null without a tier.",
    ),
  }),
  errors: ["member_not_found", "member_inactive", "gift_card_money_only", "tier_not_found"],
  async write({ input: { contact_id, tier_id }, tx, caller: { businessId }, audit, reject }) {
    const ledger = await openLedger(tx, businessId, [contact_id], needs);
    const before = await lockStanding(tx, businessId, contact_id);
    if (before === undefined) return reject("member_not_found");
    const rejection = await rejectMerged(tx, businessId, contact_id, reject);
    if (rejection !== undefined) return rejection;
    const tier = tier_id === null ? undefined : await tiers.hold(tx, businessId, tier_id);
    if (tier_id !== null && tier === undefined) return reject("tier_not_found", {});
    let valid_through: string | null = null;
    const posted = ledger.post(contact_id, ({ member }) => {
      if (member === undefined) return reject("member_not_found");
      if (isMoneyOnly(member)) return reject("gift_card_money_only");
      const standing = tierByHand(member.tier, tier, ledger.today);
      valid_through = tierValidThrough(standing);
      return {
        entries: [],
        reference_id: undefined,
        changes: { tier_standing: tierChanges(member.tier, standing) },
        data: {},
      };
    });
    if (posted instanceof Rejection) return posted as never;
    await ledger.record("give");
    const after = { ...before, tier_id, valid_through };
    audit({ before, after });
    return after;
  },
});
