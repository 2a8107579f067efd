import { relative, resolve } from "node:path";
import type { Demo } from "./demo.ts";

/** What the person who started the service is told about the demo business. */
export function demoReport(outcome: Demo): string {
  if (outcome.status === "absent") return "The database holds a business already: no demo business was made.";
  const { status, file, demo } = outcome;
  if (status === "found") return `The demo business is described in ${file}`;
  const directory = resolve(file, "..");
  // The command looks in ./data by itself.
  const data =
    relative(".", directory) === "data" ? "" : `LOYALTY_DATA_DIR='${directory.replaceAll("'", "'\\''")}' `;
  const call = `${data}npx loyalty call`;
  const credit = {
    idempotency_key: "first-credit",
    contact_id: demo.contact_ids.at(-1),
    location_id: demo.location_ids[0],
    amount: 2500,
    adjustment_type: "credit",
  };
  return `
A demo business is there to try; ${file} holds its credentials and ids.
In another terminal, in this directory:

${call} /sp/members/list '{"per_page": 2}'
${call} /sp/wallet/adjust '${JSON.stringify(credit)}'
${call} /sp/transactions/list '{"contact_id": ${credit.contact_id}}'
`;
}
