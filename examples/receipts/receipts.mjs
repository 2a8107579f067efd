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

Records receipts as sales and refunds, and prints what a till's screen would show. The file has a row for each receipt, or
for each line of a receipt. Without one, it takes receipts.csv beside the program.

Columns:
  day, receipt         the business day (YYYY-MM-DD) and the number; rows with the same two are one receipt
  phone_number         of the member
  amount               of the row, in minor units
  use_points           points that pay a part (optional, as all that follow)
  time                 HH:MM; then the sale is recorded with its day and time, as by a till that was offline
  sku, category,       the line of the receipt
  quantity
  code                 a public code, such as from a flyer
  coupon               the code of a voucher of the member, which pays a part
  refund_of            the day and the receipt that is refunded, such as 2026-04-17/R-1002
  line_no              the line of it that comes back, with its quantity; without it, the amount comes back

Options:
  --till <name>        the till of the receipts (default: 1)
  --location <id>      where the till stands (default: the first location of the demo business)
  --demo-file <path>   a file with credentials (default: data/demo.json)
  --help

Exit status: 0 when every receipt is recorded, 1 when some were rejected, 2 for a mistake in the call.
`;

const required = ["day", "receipt", "phone_number", "amount"];
const lineColumns = ["sku", "category", "quantity"];
const columns = [...required, "use_points", "refund_of", "time", ...lineColumns, "code", "coupon", "line_no"];

/** @typedef {Record<string, string>} Row the cells by column; "" without a value */
/** @typedef {Row & { rows: Row[] }} Receipt its first row, and all of them */

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
  if (receipt.refund_of) return refund(api, receipt, name, receipt.refund_of.replace("/", `/${till}/`));
  const { data: member } = await api.call("/sp/members/find", { phone_number: receipt.phone_number });
  const sale = { contact_id: member.contact_id, location_id: locationId, ...saleOf(receipt) };
  const use_vouchers = receipt.coupon ? [await findVoucher(api, sale, receipt.coupon)] : [];
  const { data } = await api.call("/sp/sales/record", { ...name, ...sale, use_vouchers });
  const until = data.valid_through === null ? "" : `, good through ${data.valid_through}`;
  const { amount_due, amount, points_earned } = data;
  const first = `${member.first_name} pays ${amount_due} of ${amount}, earns ${points_earned} points${until}.`;
  return [first, ...wordsOf(data).map((text) => `  ${text}`)].join("\n");
}

/** What the receipt says of the sale. @param {Receipt} receipt */
function saleOf({ rows, day, time, use_points, code }) {
  const amount = rows.reduce((sum, row) => sum + Number(row.amount), 0);
  const hasLines = rows.some((row) => lineColumns.some((column) => row[column]));
  const lines = rows.map(({ sku, category, quantity, amount }) => {
    return {
      ...(sku && { sku }),
      ...(category && { category }),
      quantity: Number(quantity || 1),
      amount: Number(amount),
    };
  });
  return {
    amount,
    ...(hasLines && { lines }),
    ...(time && { sold_on: day, sold_at: time }),
    ...(use_points && { use_points: Number(use_points) }),
    ...(code && { use_codes: [code] }),
  };
}

/** The member's voucher of a code, among those that the quote says can pay. @param {Api} api @param {object} sale @param {string} coupon */
async function findVoucher(api, sale, coupon) {
  const { data } = await api.call("/sp/sales/quote", sale);
  const voucher = data.usable.vouchers.find((/** @type {any} */ one) => one.coupon_code === coupon);
  // The service says what is wrong with a voucher that nobody has.
  return voucher?.held_voucher_id ?? 1;
}

/** What a till shows of promotions and stamp cards, each in at most 40 characters. @param {any} data */
function wordsOf({ why, stamp_cards }) {
  return [...why, ...stamp_cards].flatMap(({ text }) => text ?? []);
}

/** @param {Api} api @param {Receipt} receipt @param {object} name @param {string} sold */
async function refund(api, { rows, refund_of }, name, sold) {
  const { data: sales } = await api.call("/sp/sales/list", { reference_id: sold });
  if (sales.length === 0) return `nothing to refund: there is no sale ${refund_of}.`;
  const lines = rows
    .filter(({ line_no }) => line_no)
    .map(({ line_no, quantity }) => ({
      line_no: Number(line_no),
      ...(quantity && { quantity: Number(quantity) }),
    }));
  const part =
    lines.length > 0 ? { lines } : { amount: rows.reduce((sum, row) => sum + Number(row.amount), 0) };
  const body = { ...name, sale_id: sales[0].sale_id, ...part, reason: `Return of ${refund_of}` };
  const { data } = await api.call("/sp/sales/refund", body);
  const { refunded, money_back, points_clawed, points_owed } = data;
  const owed = points_owed === 0 ? "" : `, ${points_owed} owed`;
  return `refunded ${refunded}: give back ${money_back}, took back ${points_clawed} points${owed}.`;
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
  const named = header.split(",");
  if (!required.every((column) => named.includes(column)) || !named.every((one) => columns.includes(one)))
    throw new UsageError(`The first line of ${file} must have ${required} and may have ${columns.slice(4)}.`);
  /** @type {Receipt[]} */
  const receipts = [];
  for (const [index, line] of lines.entries()) {
    const values = line.split(",");
    const row = /** @type {Row} */ (
      Object.fromEntries(columns.map((one) => [one, values[named.indexOf(one)] ?? ""]))
    );
    if (values.length !== named.length || !isRow(row))
      throw new UsageError(`Line ${index + 2} of ${file} can't be read: ${line}`);
    const last = receipts.at(-1);
    if (last?.day === row.day && last.receipt === row.receipt) last.rows.push(row);
    else receipts.push(/** @type {Receipt} */ ({ ...row, rows: [row] }));
  }
  return receipts;
}

/** @param {Row} row */
function isRow({ day, receipt, amount, line_no, use_points, quantity }) {
  const isNumber = (/** @type {string | undefined} */ text) => /^[1-9]\d*$/.test(text ?? "");
  return (
    /^\d{4}-\d\d-\d\d$/.test(day ?? "") &&
    receipt !== "" &&
    (line_no === "" ? /^\d+$/.test(amount ?? "") : isNumber(line_no)) &&
    [use_points, quantity].every((each) => each === "" || isNumber(each))
  );
}

/** @param {string | undefined} demoFile */
async function firstLocation(demoFile = "data/demo.json") {
  const text = await readText(demoFile, "Say where the till stands with --location.");
  return JSON.parse(text).location_ids[0];
}
