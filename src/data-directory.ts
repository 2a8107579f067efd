/** Files that the service writes into its data directory for commands: its address, and how to use the demo business. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "./credentials/secret-files.ts";

const addressFileOf = (dataDirectory: string) => join(dataDirectory, "address");

/** Writes where the service listens, with the base path, so that commands find it on any port. */
export async function writeAddressFile(dataDirectory: string, address: string): Promise<void> {
  await writePrivateFile(addressFileOf(dataDirectory), `${address}\n`, "replace");
}

/** @returns undefined without a file, or without an address in it */
export async function readAddressFile(dataDirectory: string) {
  const file = addressFileOf(dataDirectory);
  try {
    const address = (await readFile(file, "utf8")).trim();
    return URL.canParse(address) ? { file, address } : undefined;
  } catch {
    return undefined;
  }
}

/** How to use the demo business, for newcomers and programs that try the service out. */
export interface DemoFile {
  readonly base_url: string;
  readonly business_id: number;
  readonly integration_id: number;
  readonly client_id: string;
  readonly client_secret: string;
  readonly location_ids: readonly number[];
  readonly tier_ids: readonly number[];
  readonly program_ids: readonly number[];
  /** Those that are not archived. */
  readonly benefit_ids: readonly number[];
  readonly voucher_ids: readonly number[];
  readonly archived_voucher_id: number;
  readonly contact_ids: readonly number[];
  /** A business with the same definitions and its own clock, in which a year takes a minute. */
  readonly sandbox: Pick<
    DemoFile,
    "business_id" | "client_id" | "client_secret" | "location_ids" | "contact_ids"
  >;
}

/** @returns undefined without a file, or for a file of another program */
export async function readDemoFile(file: string): Promise<DemoFile | undefined> {
  try {
    const demo = JSON.parse(await readFile(file, "utf8")) as Partial<DemoFile> | null;
    const isComplete = typeof demo?.client_id === "string" && typeof demo.client_secret === "string";
    return isComplete ? (demo as DemoFile) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes or replaces the file, with one field on each line. */
export async function writeDemoFile(file: string, demo: DemoFile): Promise<void> {
  const lines = Object.entries(demo).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  await writePrivateFile(file, `{\n${lines.join(",\n")}\n}\n`, "replace");
}
