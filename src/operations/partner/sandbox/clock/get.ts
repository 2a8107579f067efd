import { fields, readOperation, Type } from "../../../../contract/declare.ts";
import { findClock } from "../../../../database/engine/sandbox.ts";
import { noClock } from "../../../access/sandbox-clock.ts";

export const getClock = readOperation({
  path: "/sp/sandbox/clock/get",
  scope: "wa.sandbox.write",
  summary: "Get the clock of a sandbox",
  message: "Clock found.",
  description: "Returns the time of a sandbox business. Its clock stands still until you advance it.",
  operator: { role: "viewer", errors: ["not_a_sandbox"] },
  input: {},
  output: Type.Object({ clock_at: fields.timestamp }),
  async read({ services, caller }) {
    const clock_at = await findClock(services.lookUps, caller.businessId);
    return clock_at === undefined ? noClock(caller) : { clock_at };
  },
});
