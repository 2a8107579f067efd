import type { Demo } from "./demo.ts";
import { demoSession } from "./session.ts";

/** What the person who started the service is told about the demo business. */
export function demoReport(outcome: Demo): string {
  if (outcome.status === "absent") return "The database holds a business already: no demo business was made.";
  const { status, file, demo } = outcome;
  if (status === "found") return `The demo business is described in ${file}`;
  return `
A demo business is there to try; ${file} holds its credentials and ids.
Paste this into another terminal:

${demoSession(file, demo)}`;
}
