import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findMemberWithTier } from "../../../database/members/progress.ts";
import { findMemberRecord, findVisits } from "../../../database/members/records.ts";
import { member, tierProgressFields } from "../../members/members.ts";
import { nullableDay } from "../../sales/sales.ts";

export const getMemberForOperator = readOperation({
  path: "/op/members/get",
  role: "viewer",
  summary: "Get a member",
  message: "Member found.",
  description:
    "Returns all fields of one member, active or not, with its tier, the way to the next tier, what keeps the tier, and how often it " +
    "has bought.",
  input: { business_id: fields.businessId, contact_id: fields.contactId },
  output: Type.Object({
    ...member.properties,
    ...tierProgressFields,
    visits: fields.count("The sales that were recorded of the member.", 12),
    last_visit_on: nullableDay("The day of the last of these sales; null without one."),
    average_sale: fields.nullable(
      fields.inMinorUnits(fields.count("The average amount of these sales.", 1640)),
      "The average amount of these sales, after refunds, in minor units; null without one.",
    ),
  }),
  errors: ["member_not_found"],
  async read({ sql, services, caller, input: { contact_id }, reject }) {
    const [record, found, visits] = await Promise.all([
      findMemberRecord(sql, caller, contact_id),
      findMemberWithTier(services.lookUps, caller.businessId, { contact_id }),
      findVisits(sql, caller.businessId, contact_id),
    ]);
    if (record === undefined || found === undefined) return reject("member_not_found");
    // A member that was merged has no tier. The found one is the member into which it was merged.
    const none = { tier: null, next_tier: null, keep_tier: null };
    const { tier, next_tier, keep_tier } = found.contact_id === contact_id ? found : none;
    const settled = { tier_id: tier?.tier_id ?? null, tier_name: tier?.name ?? null };
    return { ...record, ...settled, tier, next_tier, keep_tier, ...visits };
  },
});
