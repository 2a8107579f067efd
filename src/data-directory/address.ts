/** The file in the data directory that says where the service listens, so that commands find it on any port. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../credentials/secret-files.ts";

const fileOf = (dataDirectory: string) => join(dataDirectory, "address");

/** @param address with the base path; a service that listens on all addresses is reached on this machine's own */
export async function writeAddressFile(dataDirectory: string, address: string): Promise<void> {
  const local = address.replace("://0.0.0.0", "://127.0.0.1").replace("://[::]", "://[::1]");
  await writePrivateFile(fileOf(dataDirectory), `${local}\n`, "replace");
}

/** @returns undefined when there is no such file, or no address in it */
export async function readAddressFile(dataDirectory: string) {
  const file = fileOf(dataDirectory);
  try {
    const address = (await readFile(file, "utf8")).trim();
    return URL.canParse(address) ? { file, address } : undefined;
  } catch {
    return undefined;
  }
}
