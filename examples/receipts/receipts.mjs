#!/usr/bin/env node
/**
 * A till at the end of its day: records the receipts of a CSV file as sales and refunds, and prints what each earned. Run it
 * again whenever you like: the day, the till and the receipt are the idempotency key and the reference, so it is recorded once.
 * The number alone would not do, because it restarts each day: the next day's receipt would get this day's response.
 */
import { parseArgs } from "node:util";
import { readCredentials, readText, UsageError } from "../credentials.mjs";
import { Api, RejectedError, UnreachableError } from "../till/api.mjs";

const help = `Usage: receipts.mjs [options] [file]

Records receipts as sales and refunds. The file has the columns day (the business day, YYYY-MM-DD), receipt,
phone_number, amount (in minor units), use_points (points that pay a part) and refund_of (the day and the
receipt that is refunded, such as 2026-04-17/R-1002). Without one, it takes receipts.csv beside the program.

Options:
  --till <name>        the till of the receipts (default: 1)
  --location <id>      where the till stands (default: the first location of the demo business)
  --demo-file <path>   a file with credentials (default: data/demo.json)
  --help

Exit status: 0 when every receipt is recorded, 1 when some were rejected, 2 for a mistake in the call.
`;

/** @typedef {{ day: string, receipt: string, phone_number: string, amount: string, use_points: string, refund_of: string }} Receipt */

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof UnreachableError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function main() {
  const { values, positionals } = readArguments();
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const file = positionals[0] ?? new URL("receipts.csv", import.meta.url).pathname;
  const receipts = readReceipts(await readText(file, "Name a CSV file of receipts."), file);
  const credentials = await readCredentials(values["demo-file"]);
  const locationId = Number(values.location ?? (await firstLocation(values["demo-file"])));
  if (!Number.isSafeInteger(locationId)) throw new UsageError("--location must be the id of a location.");
  const api = new Api({
    ...credentials,
    patienceSeconds: 60,
    onRetry: (problem) => process.stderr.write(`${problem}\n`),
  });
  let rejected = 0;
  for (const receipt of receipts) {
    try {
      process.stdout.write(
        `${receipt.receipt}: ${await record(api, receipt, { locationId, till: values.till })}\n`,
      );
    } catch (error) {
      // The other receipts are other customers': they are recorded all the same.
      if (!(error instanceof RejectedError)) throw error;
      process.stdout.write(`${receipt.receipt}: rejected. ${error.message}\n`);
      rejected += 1;
    }
  }
  process.stdout.write(`${receipts.length - rejected} receipts recorded, ${rejected} rejected.\n`);
  return rejected === 0 ? 0 : 1;
}

/** @param {Api} api @param {Receipt} receipt @param {{ locationId: number, till: string }} place */
async function record(api, receipt, { locationId, till }) {
  const reference_id = `${receipt.day}/${till}/${receipt.receipt}`;
  const name = { idempotency_key: reference_id, reference_id, location_id: locationId };
  const amount = Number(receipt.amount);
  if (receipt.refund_of !== "") {
    const sold = receipt.refund_of.replace("/", `/${till}/`);
    const { data: sales } = await api.call("/sp/sales/list", { reference_id: sold });
    if (sales.length === 0) return `nothing to refund: there is no sale ${receipt.refund_of}.`;
    const refund = { ...name, sale_id: sales[0].sale_id, amount, reason: `Return of ${receipt.refund_of}` };
    const { data } = await api.call("/sp/sales/refund", refund);
    const { money_back, points_clawed, points_owed } = data;
    const owed = points_owed === 0 ? "" : `, ${points_owed} owed`;
    return `refunded ${amount}: give back ${money_back}, took back ${points_clawed} points${owed}.`;
  }
  const { data: member } = await api.call("/sp/members/find", { phone_number: receipt.phone_number });
  const points = receipt.use_points === "" ? {} : { use_points: Number(receipt.use_points) };
  const { data } = await api.call("/sp/sales/record", {
    ...name,
    contact_id: member.contact_id,
    amount,
    ...points,
  });
  const until = data.valid_through === null ? "" : `, good through ${data.valid_through}`;
  return `${member.first_name} pays ${data.amount_due} of ${amount}, earns ${data.points_earned} points${until}.`;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        location: { type: "string" },
        till: { type: "string", default: "1" },
        "demo-file": { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message}\n\n${help}`);
  }
}

/** @param {string} text @param {string} file @returns {Receipt[]} */
function readReceipts(text, file) {
  const [header = "", ...lines] = text.trim().split(/\r?\n/);
  const columns = ["day", "receipt", "phone_number", "amount", "use_points", "refund_of"];
  if (header !== columns.join(","))
    throw new UsageError(`The first line of ${file} must be ${columns.join(",")}.`);
  return lines.map((line, index) => {
    const values = line.split(",");
    const [day = "", receipt, , amount, use_points] = values;
    const numbers = [amount, use_points === "" ? "1" : use_points];
    if (
      values.length !== columns.length ||
      !/^\d{4}-\d\d-\d\d$/.test(day) ||
      receipt === "" ||
      !numbers.every((each) => /^[1-9]\d*$/.test(each ?? ""))
    ) {
      throw new UsageError(`Line ${index + 2} of ${file} can't be read: ${line}`);
    }
    return /** @type {Receipt} */ (Object.fromEntries(columns.map((column, at) => [column, values[at]])));
  });
}

/** @param {string | undefined} demoFile */
async function firstLocation(demoFile = "data/demo.json") {
  const text = await readText(demoFile, "Say where the till stands with --location.");
  return JSON.parse(text).location_ids[0];
}
