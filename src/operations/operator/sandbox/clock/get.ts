import { getsClock } from "../../../sandbox-clock.ts";

export const getClockForOperator = getsClock({
  path: "/op/sandbox/clock/get",
  role: "viewer",
  summary: "Get the clock of a sandbox",
  description: "Returns the time of a sandbox business. Its clock stands still until you advance it.",
});
