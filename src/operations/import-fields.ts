/** The fields of imported lines, in full. The operations check lines with them, and the command line reads files with them. */
import { Type } from "typebox";
import * as fields from "../contract/fields.ts";
import { amountLimit } from "../domain/ledger.ts";
import * as operator from "./operator-fields.ts";

const openingBalance = (description: string, example: number) =>
  Type.Integer({ minimum: 0, maximum: amountLimit, description, examples: [example] });

/** Of a member. */
export const memberFields = Type.Object({
  first_name: fields.firstName,
  last_name: fields.lastName,
  phone_number: fields.phoneNumber,
  email: Type.Optional(fields.email),
  date_of_birth: Type.Optional(fields.dateOfBirth),
  external_ref: Type.Optional(operator.externalRef),
  joined_at: Type.Optional(operator.pastMoment("When the member joined; now unless said.")),
  wallet_balance: Type.Optional(openingBalance("Money in the wallet to begin with, in minor units.", 1250)),
  points_balance: Type.Optional(openingBalance("Reward points to begin with.", 120)),
});

/** Of a sale. */
export const saleFields = Type.Object({
  contact_id: Type.Optional(fields.contactId),
  phone_number: Type.Optional(fields.phoneNumber),
  external_ref: Type.Optional(operator.externalRef),
  sold_at: operator.pastMoment("When it was sold."),
  amount: fields.amount,
  location_id: Type.Optional(operator.locationId),
  reference_id: Type.Optional(fields.referenceId),
});
