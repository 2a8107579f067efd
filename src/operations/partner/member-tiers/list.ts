import { readOperation, Type } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { partnerTier, pick } from "../../records.ts";

export const listMemberTiers = readOperation({
  path: "/sp/member-tiers/list",
  scope: "wa.tiers.read",
  summary: "List member tiers",
  message: "Member tiers listed.",
  description:
    "Lists all tiers of the business, in the order in which they were created. The body is an empty object.",
  input: {},
  output: Type.Array(partnerTier),
  read: async ({ services, caller }) =>
    (await tiers.all(services.lookUps, caller.businessId)).map((tier) => pick(tier, partnerTier)),
});
