/** The books of the example: a CSV file with what a partner's own system had recorded. */
import { parse } from "csv-parse/sync";
import { readText, UsageError } from "../credentials.mjs";

const columns = ["day", "reference_id", "contact_id", "points"];

/** @typedef {{ contactId: number, points: number }} Line */

/**
 * The lines of a book, by reference_id.
 * @param {string} file
 * @param {string} lastDay later lines are left out
 * @returns {Promise<Map<string, Line>>}
 * @throws {UsageError}
 */
export async function readBook(file, lastDay) {
  const text = await readText(file, "Give the path of a book.");
  /** @type {{ record: Record<string, string>, info: { lines: number } }[]} */
  let rows;
  try {
    rows = parse(text, { bom: true, columns: true, info: true, skip_empty_lines: true });
  } catch (error) {
    throw new UsageError(`${file}: ${/** @type {Error} */ (error).message}`);
  }
  const lines = new Map();
  for (const { record, info } of rows) {
    const missing = columns.filter((column) => !record[column]);
    if (missing.length > 0)
      throw new UsageError(`${file}, line ${info.lines}: ${missing.join(", ")} missing.`);
    const { day, reference_id, contact_id, points } = /** @type {Record<string, string>} */ (record);
    if (!/^\d+$/.test(contact_id) || !/^-?\d+$/.test(points) || !/^\d{4}-\d{2}-\d{2}$/.test(day)) {
      throw new UsageError(`${file}, line ${info.lines}: not a day, a contact_id and whole points.`);
    }
    if (lines.has(reference_id)) throw new UsageError(`${file}, line ${info.lines}: ${reference_id} again.`);
    if (day <= lastDay) lines.set(reference_id, { contactId: Number(contact_id), points: Number(points) });
  }
  return lines;
}
