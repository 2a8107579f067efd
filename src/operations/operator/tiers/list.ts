import { fields, listOperation, Type } from "../../../contract/declare.ts";
import { tiers } from "../../../database/catalog.ts";
import { tier } from "../../records.ts";

export const listTiersForOperator = listOperation({
  path: "/op/tiers/list",
  role: "viewer",
  summary: "List tiers",
  message: "Tiers listed.",
  description:
    "Lists the tiers of a business, in the order of the sales that members need for them. Those that only operators assign are last.",
  input: {
    business_id: fields.businessId,
    count_members: fields.option("Whether to count the members that have each tier."),
  },
  output: Type.Object({
    ...tier.properties,
    members: fields.nullable(
      fields.count("Members.", 120),
      "The members that have the tier; null if they were not to be counted.",
    ),
  }),
  async list({ sql, services: { scans }, caller: { businessId, locations }, input, page }) {
    const listed = await tiers.page(sql, businessId, page, { locations });
    const ids = listed.rows.map(({ tier_id }) => tier_id);
    const counts =
      input.count_members && (await scans.run(businessId, () => tiers.countHolders(sql, businessId, ids)));
    const membersOf = (tierId: number) => (counts ? (counts.get(tierId) ?? 0) : null);
    return { ...listed, rows: listed.rows.map((row) => ({ ...row, members: membersOf(row.tier_id) })) };
  },
});
