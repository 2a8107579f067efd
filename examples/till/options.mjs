/** What the command line, the environment and the files say, checked before anything is sent. */
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { defaultDemoFile, readText, UsageError } from "../credentials.mjs";
import { FileError, readPurchases } from "./purchases.mjs";

const defaultFile = relative(process.cwd(), join(import.meta.dirname, "purchases.txt"));

export const help = `Usage: node examples/till/till.mjs [options] [file]

Makes a member for each customer in the file and credits a reward point for each whole dollar of each purchase.
What the service has already is not sent again. At the end every balance and the ledger's totals are compared
with the file.

With --show, it shows what a till shows of a member: the balances, the tier with the way to the next one, the vouchers, and the
address of the member's page with its QR code, as on a receipt.

With --card, it pays a receipt with the money of a card, such as a gift card, as far as it goes, and prints what is left on it. The same
--receipt is recorded once.

With --invite, it prints the code by which a member brings others. With --join, it makes a member who was brought by the owner of a code.
Repeated, it says what has become of that.

  file                  purchases; default ${defaultFile}
  --demo-file <path>    where base_url, client_id and client_secret are; default ${defaultDemoFile}
  --show <number>       the member with this phone number, such as +353209100002, or with a card of this code, as it was scanned
  --card <code>         the card that pays; with --pay and --receipt
  --pay <amount>        the amount of the receipt, such as 12.50
  --receipt <number>    its number
  --location <number>   where it is paid; default 1
  --invite <number>     the phone number of the member who brings others
  --join <number>       the phone number of the new member; with --name and --code
  --name <names>        its first name and its family name, such as "Ana Ruiz"
  --code <code>         the code of the member who brought it
  --at-once <number>    requests under way at the same time, 1 to 256; default 16
  --patience <seconds>  how long to go on trying while there is no response; default 60
  --help                show this

Environment: LOYALTY_URL (as http://127.0.0.1:8080, or with the base path), LOYALTY_CLIENT_ID and
LOYALTY_CLIENT_SECRET, all three, are used instead of ${defaultDemoFile}, unless --demo-file is given.

Exit status: 0 when everything agrees with the file, 1 when it does not or the run failed, 2 when the arguments,
the file or the credentials can't be used.
`;

/** What the arguments ask for. @throws {UsageError} */
export function readOptions() {
  /** @type {ReturnType<typeof parseArguments>} */
  let parsed;
  try {
    parsed = parseArguments();
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message}\nSee --help.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return "help";
  if (values.show !== undefined && positionals.length > 0)
    throw new UsageError("Give a file or --show, not both. See --help.");
  const { card, pay, receipt } = values;
  if (card === undefined ? pay !== undefined || receipt !== undefined : !pay || !receipt)
    throw new UsageError("Give --card, --pay and --receipt together. See --help.");
  const { invite, join: phone, name, code } = values;
  if (phone === undefined ? name !== undefined || code !== undefined : !name || !code)
    throw new UsageError("Give --join, --name and --code together. See --help.");
  if (name !== undefined && !/^\s*\S+\s+\S/.test(name))
    throw new UsageError(
      'Give the first name and the family name as --name, such as "Ana Ruiz". See --help.',
    );
  if (positionals.length > 1) throw new UsageError("Give one file of purchases. See --help.");
  return {
    file: positionals[0] ?? defaultFile,
    demoFile: values["demo-file"],
    show: values.show,
    invite,
    person: phone === undefined ? undefined : { phone, name: name ?? "", code: code ?? "" },
    purchase:
      card === undefined
        ? undefined
        : { card, pay: minorUnits(pay), receipt, location: wholeNumber("--location", values.location, 1e15) },
    atOnce: wholeNumber("--at-once", values["at-once"], 256),
    patience: wholeNumber("--patience", values.patience, 86_400),
  };
}

function parseArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      "demo-file": { type: "string" },
      show: { type: "string" },
      card: { type: "string" },
      pay: { type: "string" },
      receipt: { type: "string" },
      location: { type: "string", default: "1" },
      invite: { type: "string" },
      join: { type: "string" },
      name: { type: "string" },
      code: { type: "string" },
      "at-once": { type: "string", default: "16" },
      patience: { type: "string", default: "60" },
      help: { type: "boolean" },
    },
  });
}

/** An amount of a currency with two decimals. @param {string} [text] */
function minorUnits(text = "") {
  if (/^\d{1,9}(\.\d\d)?$/.test(text) && Number(text) > 0) return Math.round(Number(text) * 100);
  throw new UsageError(`--pay must be an amount such as 12.50, not "${text}".`);
}

/** @param {string} name @param {string} value @param {number} most */
function wholeNumber(name, value, most) {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && number <= most) return number;
  throw new UsageError(`${name} must be a whole number from 1 to ${most}, not "${value}".`);
}

/**
 * @param {string} file
 * @throws {UsageError}
 */
export async function readCustomers(file) {
  const text = await readText(file, "Give the path of a file of purchases.");
  try {
    return readPurchases(text);
  } catch (error) {
    if (error instanceof FileError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}
