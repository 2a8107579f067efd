import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { insertBusiness } from "../../../database/access/businesses.ts";
import { canBeginAt } from "../../../database/engine/sandbox.ts";
import {
  business,
  businessName,
  checkBusiness,
  checkTimeZoneIn,
  currency,
  timeZone,
} from "../../businesses.ts";

const notSandbox = fieldError("clock_at", "not_allowed_value", "must not be sent without sandbox: true");
const tooFar = fieldError("clock_at", "out_of_range", "must be within fifty years of today");

export const createBusiness = writeOperation({
  path: "/op/businesses/create",
  event: "business.created",
  status: 201,
  summary: "Create a business",
  description:
    "Creates a business with an empty ledger and default reward settings. A sandbox has its own clock, which stands " +
    "still until an integration advances it. A sandbox can be deleted. You can't turn a sandbox into another business, " +
    "or the reverse.",
  message: "Business created.",
  input: {
    name: businessName,
    time_zone: Type.Optional(timeZone),
    currency: currency,
    sandbox: fields.option("Whether to create a sandbox, for tests."),
    clock_at: Type.Optional(fields.sandboxTime("The first time of the clock of a sandbox. By default, now.")),
  },
  output: business,
  errors: ["validation_failed"],
  check: (input) => [
    ...checkBusiness(input),
    ...(input.clock_at !== undefined && input.sandbox !== true ? [notSandbox] : []),
  ],
  async write({ input, tx, audit, fail }) {
    const { name, time_zone = "UTC", currency, sandbox = false, clock_at } = input;
    const refused = await checkTimeZoneIn(tx, time_zone);
    if (refused !== undefined) return refused;
    if (clock_at !== undefined && !(await canBeginAt(tx, clock_at, time_zone))) {
      return fail("validation_failed", { errors: [tooFar] });
    }
    const business = { name, time_zone, currency };
    const clock = sandbox ? { clock_at: clock_at ?? null } : undefined;
    const business_id = await insertBusiness(tx, business, clock);
    const made = { business_id, ...business, sandbox };
    audit({ before: null, after: { ...made, ...clock }, businessId: business_id });
    return made;
  },
});
