import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { exportMembers } from "../../../database/members/records.ts";
import { defaultExportRows, exportAfter, exportLimit, maximumExportRows, nextOf } from "../../exports.ts";
import * as operator from "../../operator-fields.ts";

export const exportMembersOperation = readOperation({
  path: "/op/exports/members",
  summary: "Export members",
  description:
    "The members of a business in full, active or not, in the order of member_id, some thousand at a time. Ask " +
    "again with next_after_member_id until it is null.",
  message: "Members exported.",
  input: {
    business_id: fields.businessId,
    after_member_id: Type.Optional(exportAfter("Only members after this one.")),
    limit: Type.Optional(exportLimit),
  },
  output: Type.Object({
    members: Type.Array(operator.member, { maxItems: maximumExportRows, description: "The members." }),
    next_after_member_id: fields.nullable(
      fields.memberId,
      "Send it as after_member_id to go on; null at the end.",
      1000,
    ),
  }),
  async read({ sql, caller, input: { after_member_id = 0, limit = defaultExportRows } }) {
    const members = await exportMembers(sql, caller, after_member_id, limit);
    return { members, next_after_member_id: nextOf(members, limit)?.member_id ?? null };
  },
});
