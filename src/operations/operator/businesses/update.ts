import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { updateBusiness } from "../../../database/access/businesses.ts";
import { setEventsEnabled } from "../../../database/events.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { business, businessFields, checkBusiness } from "../../access/businesses.ts";
import { changesOf } from "../../records.ts";

export const updateBusinessOperation = writeOperation({
  path: "/op/businesses/update",
  role: "owner",
  event: "business.updated",
  summary: "Update a business",
  message: "Business updated.",
  description:
    "Changes the name, time zone, currency, country or colour of a business, and switches its events on or off. Fields that you omit " +
    "don't change. Amounts are not converted: if you change the currency, recorded amounts keep their numbers, and get the new currency and its decimals.",
  confirm: { currency: "Recorded amounts keep their numbers, and get the new currency and its decimals." },
  input: {
    business_id: fields.businessId,
    ...changesOf(businessFields),
    events_enabled: Type.Optional(
      fields.flag("Whether changes are recorded as events from now on, which partners can follow.", true),
    ),
  },
  atLeastOne: true,
  output: business,
  errors: ["business_not_found"],
  check: checkBusiness,
  async write({ input: { business_id, events_enabled, ...change }, tx, audit, reject }) {
    if (events_enabled !== undefined) await lockLedger(tx, business_id);
    const updated = await updateBusiness(tx, business_id, change);
    if (updated === undefined) return reject("business_not_found");
    const { before, after } = updated;
    if (events_enabled === undefined || events_enabled === before.events_enabled) {
      audit(updated);
      return after;
    }
    await setEventsEnabled(tx, business_id, events_enabled);
    const switched = { ...after, events_enabled };
    audit({ before, after: switched });
    return switched;
  },
});
