import { Type } from "typebox";
import { readOperation } from "../../../contract/operation.ts";
import { listTiers } from "../../../database/catalog/tiers.ts";
import { tier } from "../../catalog-fields.ts";

export const listMemberTiers = readOperation({
  path: "/sp/member-tiers/list",
  scope: "wa.tiers.read",
  summary: "List member tiers",
  description: "All tiers of the business, in the order they were made. The body is an empty object.",
  message: "Member tiers listed.",
  input: Type.Object({}),
  output: Type.Array(tier),
  read: ({ services, caller }) => listTiers(services.lookUps, caller.businessId),
});
