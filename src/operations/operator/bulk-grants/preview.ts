import { fields, Rejection, readOperation, Type } from "../../../contract/declare.ts";
import { countChosen } from "../../../database/jobs/bulk-grants.ts";
import { worthOf } from "../../../domain/engine/worth.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { memberFilters } from "../../members/member-filters.ts";
import { checkGrant, foundMembers, givenBy, grantFields, readGiven } from "../../promotions/bulk-grants.ts";

export const previewBulkGrant = readOperation({
  path: "/op/bulk-grants/preview",
  role: "manager",
  summary: "Preview a bulk grant",
  message: "Bulk grant previewed.",
  description:
    "Returns how many members a bulk grant would reach, and what that is worth, and changes nothing. The members are those that are " +
    "active and meet all filters of /op/members/list; without filters, all active members. /op/bulk-grants/start needs at least one, and at most 1,000,000.",
  input: { business_id: fields.businessId, ...grantFields },
  exactlyOneOf: ["points", "voucher_id"],
  check: checkGrant,
  output: Type.Object({
    members_found: foundMembers,
    points_given: fields.inPoints(
      fields.whole(0, balanceLimit, "The points that they would get together.", 124_000),
    ),
    amount: fields.nullable(
      fields.inMinorUnits(fields.whole(0, balanceLimit, "An amount.", 62_000)),
      "The most that this is worth, in minor units: of points by the rules of today, of vouchers by their value; null for vouchers of " +
        "another kind than value.",
    ),
  }),
  errors: [...memberFilters.errors, "voucher_not_found", "validation_failed"],
  async read({ sql, services, caller, input }) {
    const { businessId } = caller;
    const given = givenBy(input);
    const filters = await memberFilters.read(sql, businessId, input);
    if (filters instanceof Rejection) return filters;
    const read = await readGiven(sql, businessId, given);
    if (read instanceof Rejection) return read;
    const { voucher, rules } = read;
    const count = () => sql.begin((tx) => countChosen(tx, caller, filters), "READ ONLY");
    const { members_found } = await services.scans.run(businessId, count);
    const points_given = (given.points ?? 0) * members_found;
    const ofVouchers = voucher?.kind === "value" ? voucher.coupon_value * members_found : null;
    const amount = voucher === null ? worthOf(rules, points_given) : ofVouchers;
    return { members_found, points_given, amount };
  },
});
