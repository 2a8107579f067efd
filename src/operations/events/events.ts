/** The fields of events. */
import { fields, type Static, Type } from "../../contract/declare.ts";
import { eventMeanings, eventNames, eventPatterns } from "../../domain/events.ts";
import { eventTypeNames } from "../../domain/ledger.ts";

export const mostEvents = 100;

export const eventTypesFilter = Type.Optional(
  fields.absentWhenEmpty(
    Type.Array(Type.Enum([...eventPatterns]), {
      minItems: 1,
      maxItems: eventPatterns.length,
      description:
        "Only events of these types. `sale.*` means all types that begin with `sale.`, and `*` means all types.",
      examples: [["sale.*", "member.updated"]],
    }),
  ),
);

export const eventNo = fields.count("The number of an event.", 1045);

const entry = Type.Object({
  entry_no: fields.identifier("The number of the ledger entry.", 1045),
  contact_id: fields.contactId,
  event_type: fields.choice(eventTypeNames, "The kind of ledger entry.", "sale"),
  amount: fields.signedAmount,
  balance_after: fields.balanceAfter,
  created_at: fields.utcMoment("When it happened."),
  day: Type.Optional(fields.day("The day on which points expired.")),
  lot_id: Type.Optional(fields.identifier("The lot of points that can be spent now.", 812)),
});

const meanings = eventNames.map((name) => `- \`${name}\`: ${eventMeanings[name]}`).join("\n");

/** An event as it is listed. Further fields of its data depend on its type. */
export const event = Type.Object({
  type: Type.Enum([...eventNames], {
    description: `What happened:\n${meanings}`,
    examples: ["sale.recorded"],
  }),
  timestamp: fields.utcMoment("When it happened, on the clock of the business."),
  data: Type.Object(
    {
      business_id: fields.businessId,
      sandbox: fields.flag("Whether the business is a sandbox, with its own clock for tests.", false),
      contact_id: fields.nullable(fields.contactId, "The member, or null for several members or none."),
      sequence: fields.identifier("The number of the event. It has no gaps.", 1046),
      entries: Type.Array(entry, {
        maxItems: 1000,
        description: "The ledger entries. Each entry is in one event.",
      }),
    },
    {
      additionalProperties: true,
      description: "Ids, amounts and balances. The other fields are those of the response of the operation.",
    },
  ),
});

export type ListedEvent = Static<typeof event>;
