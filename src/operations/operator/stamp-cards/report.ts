import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { stampCards } from "../../../database/catalog.ts";
import { countStampHolders, listStampDays } from "../../../database/engine/rewards/stamps.ts";
import { balanceLimit } from "../../../domain/ledger.ts";
import { stampCard } from "../../promotions/stamp-cards.ts";
import { cardName } from "../../promotions/stamps.ts";
import { findReportedDays, mostReportedDays, reportedDayFields } from "../../report-days.ts";

const net = (description: string, example: number) =>
  Type.Integer({ minimum: -balanceLimit, maximum: balanceLimit, description, examples: [example] });

export const reportStampCard = readOperation({
  path: "/op/stamp-cards/report",
  role: "viewer",
  summary: "Report what a stamp card did",
  message: "Stamp card reported.",
  description:
    "Returns how many members have stamps on a card, and by day the stamps that were given, the cards that were begun, those that were " +
    "full, and the stamps that lapsed. What refunds undid is subtracted on the day of the refund, so a number can be negative. A day on " +
    "which nothing happened is left out.",
  input: {
    business_id: fields.businessId,
    stamp_card_id: fields.stampCardId,
    ...reportedDayFields,
  },
  output: Type.Object({
    stamp_card_id: fields.stampCardId,
    name: cardName,
    status: stampCard.properties.status,
    members_with_stamps: fields.count("Members with stamps on a card that is not full.", 85),
    stamps_on_cards: fields.count("The stamps of these members.", 312),
    times_full: fields.count("How often members filled the card in all, without what refunds undid.", 40),
    days: Type.Array(
      Type.Object({
        day: fields.day("The day of recording."),
        stamps: net("The stamps that were given, also by hand.", 120),
        begun: net("Cards that were begun.", 31),
        full: net("How often cards were full.", 12),
        lapsed: net("Stamps that lapsed.", 4),
      }),
      { maxItems: mostReportedDays, description: "What happened, by day." },
    ),
  }),
  errors: ["stamp_card_not_found", "validation_failed"],
  async read({ sql, services, caller: { businessId }, input, reject }) {
    const { stamp_card_id } = input;
    const found = await stampCards.find(sql, businessId, stamp_card_id);
    if (found === undefined) return reject("stamp_card_not_found");
    const range = await findReportedDays(sql, businessId, input);
    if ("errors" in range) return reject("validation_failed", range);
    const { longRunning, scans } = services;
    const [holders, days] = await Promise.all([
      scans.run(businessId, () => countStampHolders(longRunning, businessId, stamp_card_id)),
      listStampDays(longRunning, businessId, stamp_card_id, range),
    ]);
    const { name, status } = found;
    return { stamp_card_id, name, status, ...holders, days };
  },
});
