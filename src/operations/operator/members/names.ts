import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { findMemberNames } from "../../../database/members/records.ts";

export const getMemberNames = readOperation({
  path: "/op/members/names",
  role: "viewer",
  summary: "Get the names of members",
  message: "Names of members found.",
  description:
    "Returns the names of some members, active or not, for a list that has only their contact_id. A member that does not " +
    "exist is left out.",
  input: {
    business_id: fields.businessId,
    contact_ids: Type.Array(fields.contactId, {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: "The members.",
      examples: [[100001, 100002]],
    }),
  },
  output: Type.Object({
    members: Type.Array(
      Type.Object({
        contact_id: fields.contactId,
        first_name: fields.firstName,
        last_name: fields.lastName,
      }),
      { maxItems: 100, description: "The members that exist, by contact_id." },
    ),
  }),
  errors: [],
  read: async ({ services, caller, input }) => ({
    members: await findMemberNames(services.lookUps, caller.businessId, input.contact_ids),
  }),
});
