import { fields, readOperation, Type } from "../../../contract/declare.ts";
import { readBusiness } from "../../../database/access/businesses.ts";
import { business } from "../../access/businesses.ts";
import { pick } from "../../records.ts";

const ownBusiness = Type.Object({
  ...Type.Omit(business, ["events_enabled", "color", "logo_path"]).properties,
  today: fields.day("Today in the time zone of the business; in a sandbox, the day of its clock."),
});

export const getOwnBusiness = readOperation({
  path: "/sp/business/get",
  scope: "wa.locations.read",
  summary: "Get the business",
  message: "Business found.",
  description:
    "Returns the business for which the token acts: its name, the time zone of its days and timestamps, the currency of its amounts, " +
    "and the country whose national phone numbers it understands. A till gets it when it starts.",
  input: {},
  output: ownBusiness,
  read: async ({ services, caller }) =>
    pick(await readBusiness(services.lookUps, caller.businessId), ownBusiness),
});
