import { fieldError, fields, Type, writeOperation, wrongValue } from "../../../contract/declare.ts";
import { insertBusiness } from "../../../database/access/businesses.ts";
import { requiredDecimals } from "../../../database/access/currencies.ts";
import { canBeginAt } from "../../../database/engine/sandbox.ts";
import { business, businessFields, checkBusiness } from "../../access/businesses.ts";
import { changesOf } from "../../records.ts";

const notSandbox = wrongValue("clock_at", "must not be sent without sandbox: true");
const tooFar = fieldError("clock_at", "out_of_range", "must be within fifty years of today");

export const createBusiness = writeOperation({
  path: "/op/businesses/create",
  role: "owner",
  concernsAllBusinesses: true,
  event: "business.created",
  status: 201,
  summary: "Create a business",
  message: "Business created.",
  description:
    "Creates a business with an empty ledger and default reward settings. A sandbox has its own clock, which stands " +
    "still until an integration advances it. A sandbox can be deleted. You can't turn a sandbox into another business, " +
    "or the reverse.",
  input: {
    ...changesOf(businessFields),
    name: businessFields.name,
    currency: businessFields.currency,
    sandbox: fields.option("Whether to create a sandbox, for tests."),
    clock_at: Type.Optional(fields.sandboxTime("The first time of the clock of a sandbox. By default, now.")),
  },
  output: business,
  async check(input, context) {
    const { time_zone = "UTC", clock_at, sandbox } = input;
    const errors = await checkBusiness(input, context);
    if (clock_at === undefined) return errors;
    if (sandbox !== true && !context.rejected.has("sandbox")) errors.push(notSandbox);
    const hasZone = !context.rejected.has("time_zone") && errors.every(({ field }) => field !== "time_zone");
    if (hasZone && !(await canBeginAt(context.sql, clock_at, time_zone))) errors.push(tooFar);
    return errors;
  },
  async write({ input, tx, audit }) {
    const {
      name,
      time_zone = "UTC",
      currency,
      country = null,
      color = null,
      sandbox = false,
      clock_at,
    } = input;
    const business = { name, time_zone, currency, country, color };
    const clock = sandbox ? { clock_at: clock_at ?? null } : undefined;
    const business_id = await insertBusiness(tx, business, clock);
    const made = {
      business_id,
      ...business,
      logo_path: null,
      currency_decimals: requiredDecimals(currency),
      sandbox,
      events_enabled: false,
    };
    audit({ before: null, after: { ...made, ...clock }, businessId: business_id });
    return made;
  },
});
