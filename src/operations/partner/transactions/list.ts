import { Type } from "typebox";
import { fieldError } from "../../../contract/errors.ts";
import * as fields from "../../../contract/fields.ts";
import { listOperation } from "../../../contract/operation.ts";
import { listTransactions } from "../../../database/transaction-list.ts";
import { eventTypeNames } from "../../../domain/ledger.ts";

export const listTransactionsOperation = listOperation({
  path: "/sp/transactions/list",
  scope: "wa.wallet.read",
  summary: "List transactions",
  description:
    "The ledger of the business, newest first: every movement of a wallet, of points, of vouchers held and of " +
    "sales. An integration limited to some locations sees the entries of those and the ones without a location.",
  message: "Transactions listed.",
  input: Type.Object({
    location_id: Type.Optional(fields.locationId),
    contact_id: Type.Optional(fields.contactId),
    event_types: Type.Optional(
      Type.Array(fields.eventType, {
        minItems: 1,
        maxItems: eventTypeNames.length,
        description: "Only entries of these kinds.",
      }),
    ),
    start_date: Type.Optional(fields.day("The first day, inclusive.")),
    end_date: Type.Optional(fields.day("The last day, inclusive.")),
  }),
  output: Type.Object({
    event_type: fields.eventType,
    contact_id: fields.contactId,
    reference_id: Type.String({
      description: "The caller's reference, or one made for the entry.",
      examples: ["WA-1042"],
    }),
    amount: fields.signedAmount,
    balance_after: fields.balanceAfter,
    created_at: fields.timestamp,
  }),
  errors: [],
  check({ start_date, end_date }) {
    if (start_date === undefined || end_date === undefined || start_date <= end_date) return [];
    return [fieldError("end_date", "out_of_range", "must not be before start_date")];
  },
  list: ({ sql, caller, input, page }) => listTransactions(sql, caller, input, page),
});
