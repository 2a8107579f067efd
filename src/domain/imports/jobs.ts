/** Files that shops have, and the jobs that import them. */

export const importNames = ["members", "sales", "vouchers"] as const;
export type ImportName = (typeof importNames)[number];

/**
 * uploading: parts of the file are missing. checking: a job reads all lines and imports none. cancelled: if it had begun to import,
 * it can be started again, and goes on where it was; otherwise its file is gone. failed: the file or the options are wrong.
 */
export const importStates = [
  "uploading",
  "uploaded",
  "checking",
  "checked",
  "importing",
  "cancelled",
  "ended",
  "failed",
] as const;
export type ImportState = (typeof importStates)[number];

/** Whether a job works in this state. */
export const isRunning = (state: ImportState) => state === "checking" || state === "importing";

interface Steps {
  readonly state: ImportState;
  /** Of the file; 0 when it is deleted. */
  readonly bytes: number;
  readonly form: { readonly lines: number | null } | null;
}

/** What a person can do with an import. A check that was cancelled has not seen all lines, so its import can't go on. */
export function possibleSteps({ state, bytes, form }: Steps) {
  const isDeleted = bytes === 0;
  const canGoOn = (state === "cancelled" || state === "failed") && typeof form?.lines === "number";
  const canCheck = !isRunning(state) && state !== "uploading" && !isDeleted;
  return { canGoOn, canCheck, canStop: !isDeleted && !canGoOn && state !== "ended", isDeleted };
}

/** What files can be written in. UTF-16 is known by its byte order mark. */
export const encodings = ["UTF-8", "Windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

/** The systems whose exports are known. */
export const systems = [
  "square",
  "shopify",
  "loyverse",
  "woocommerce",
  "lightspeed-x",
  "lightspeed-ecom",
  "magento",
  "prestashop",
] as const;
export type System = (typeof systems)[number];

/** In which amounts are written: 12.50, or 1250. */
export const amountUnits = ["major", "minor"] as const;
export type AmountUnit = (typeof amountUnits)[number];

/** Further names of locations in a file are not looked up. */
export const mostPlaces = 200;

/** Names of options of a kind. */
export const mostMappings = 100;

/** A file, unpacked. */
export const mostFileBytes = 1_000_000_000;
/** All files of a business, as they are uploaded. */
export const mostBytesOfBusiness = 5_000_000_000;
/** Of a file as it is uploaded. */
export const mostPartBytes = 2_000_000;
/** After so many days, a file and its rejected lines are deleted. */
export const fileDays = 7;
/** Further rejected lines are counted, but not kept. */
export const mostRejectedLines = 100_000;
