import { readOperation, Type } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { tier } from "../../records.ts";

export const listMemberTiers = readOperation({
  path: "/sp/member-tiers/list",
  scope: "wa.tiers.read",
  summary: "List member tiers",
  description:
    "Lists all tiers of the business, in the order in which they were created. The body is an empty object.",
  message: "Member tiers listed.",
  input: {},
  output: Type.Array(tier),
  read: ({ services, caller }) => tiers.all(services.lookUps, caller.businessId),
});
