/** The customers of the example: a CSV file as another system exports it. */
import { parse } from "csv-parse/sync";
import { readText, UsageError } from "../credentials.mjs";

const required = ["phone_number", "first_name", "last_name"];
const known = [...required, "email", "date_of_birth"];

/**
 * @typedef {object} Customer
 * @property {number} line in the file
 * @property {import("loyalty-sdk").MembersCreateRequest} fields what the file says, without what it leaves empty
 */

/**
 * What the values are is the service's to judge; only what would send one customer in place of another is rejected.
 * @param {string} file
 * @returns {Promise<Customer[]>}
 * @throws {UsageError}
 */
export async function readCustomers(file) {
  const text = await readText(file, "Give the path of a file of customers.");
  /** @type {{ record: Record<string, string>, info: { lines: number } }[]} */
  let rows;
  try {
    rows = parse(text, { bom: true, columns: true, info: true, skip_empty_lines: true, trim: true });
  } catch (error) {
    throw new UsageError(`${file}: ${/** @type {Error} */ (error).message}`);
  }
  /** @type {Map<string, number>} */
  const lines = new Map();
  return rows.map(({ record, info: { lines: line } }) => {
    const unknown = Object.keys(record).filter((column) => !known.includes(column));
    if (unknown.length > 0) throw new UsageError(`${file}: there is no column ${unknown.join(", ")}.`);
    const missing = required.filter((column) => !record[column]);
    if (missing.length > 0) throw new UsageError(`${file}, line ${line}: ${missing.join(", ")} missing.`);
    const phoneNumber = /** @type {string} */ (record.phone_number);
    const before = lines.get(phoneNumber);
    if (before !== undefined)
      throw new UsageError(`${file}, line ${line}: the phone number of line ${before}.`);
    lines.set(phoneNumber, line);
    const fields = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ""));
    return { line, fields: /** @type {Customer["fields"]} */ (fields) };
  });
}
