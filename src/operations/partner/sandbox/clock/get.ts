import { getsClock } from "../../../sandbox-clock.ts";

export const getClock = getsClock({
  path: "/sp/sandbox/clock/get",
  scope: "wa.sandbox.write",
  summary: "Get the clock of a sandbox",
  description: "Returns the time of a sandbox business. Its clock stands still until you advance it.",
});
