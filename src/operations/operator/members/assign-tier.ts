import { fields, writeOperation } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { lockStanding, setTier } from "../../../database/members/members.ts";
import { memberStanding, nullableTierId } from "../../members.ts";

export const assignTier = writeOperation({
  path: "/op/members/assign-tier",
  event: "member.tier_assigned",
  summary: "Assign a tier to a member",
  description: "Gives a member a tier of the business, or removes its tier if tier_id is null.",
  message: "Tier assigned.",
  input: {
    business_id: fields.businessId,
    contact_id: fields.contactId,
    tier_id: nullableTierId,
  },
  output: memberStanding,
  errors: ["member_not_found", "tier_not_found"],
  async write({ input: { contact_id, tier_id }, tx, caller, audit, fail }) {
    const before = await lockStanding(tx, caller.businessId, contact_id);
    if (before === undefined) return fail("member_not_found");
    if (tier_id !== null && (await tiers.hold(tx, caller.businessId, tier_id)) === undefined) {
      return fail("tier_not_found");
    }
    await setTier(tx, caller.businessId, contact_id, tier_id);
    const after = { ...before, tier_id };
    audit({ before, after });
    return after;
  },
});
