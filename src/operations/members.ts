/** A member in the responses of operations that find one. */
import { Type } from "typebox";
import * as fields from "../contract/fields.ts";

export const externalRef = Type.String({
  minLength: 1,
  maxLength: 255,
  format: "plain-text",
  description: "The member's number in the system that it was imported from.",
  examples: ["C-4711"],
});

export const memberDetails = Type.Object({
  contact_id: fields.contactId,
  member_id: fields.memberId,
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: fields.phoneNumber,
  email: fields.nullableEmail,
  active: Type.Boolean({ description: "Whether the member is active.", examples: [true] }),
});
