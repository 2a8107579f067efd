import { advancesClock } from "../../../sandbox-clock.ts";

export const advanceClockOperation = advancesClock({
  path: "/sp/sandbox/clock/advance",
  scope: "wa.sandbox.write",
  summary: "Advance the clock of a sandbox",
  description:
    "Advances the clock of a sandbox business by at most two years, to a time within 50 years of today. Points mature and " +
    "expire on their days, and their entries are recorded before the response is sent. A step on which more is due than " +
    "some seconds of work is rejected; the error says how far you can go.",
});
