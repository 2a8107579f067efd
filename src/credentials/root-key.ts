/** The operator key. If it is in a file, a new key in the file takes effect while the service runs. */
import { join } from "node:path";
import { hashSecret, isSecret } from "./keys.ts";
import { readIfPresent } from "./secret-files.ts";

/** A bearer token (RFC 6750) that can't be guessed. */
export const isRootKey = (text: string) => /^[A-Za-z0-9\-._~+/]{32,}=*$/.test(text);

/** The file of the operator key; undefined if the key is set in the environment, where it can't change. */
export function rootKeyFile(config: {
  readonly operatorKey: string | undefined;
  readonly operatorKeyFile: string | undefined;
  readonly dataDirectory: string;
}): string | undefined {
  const { operatorKey, operatorKeyFile, dataDirectory } = config;
  return operatorKey === undefined ? join(dataDirectory, "operator.key") : operatorKeyFile;
}

/** The previous key is valid at most this long after the file has changed. */
const staleMilliseconds = 1000;

export interface RootKeyListener {
  /** Called with the key when it is first used, and after each change. If it fails, it is called again with the next request. */
  onUse(key: string): Promise<void>;
  /** Called when the file has no valid key. The last valid key stays in use. */
  onFault(fault: string): void;
}

/**
 * Makes the check of operator keys.
 * @param clock monotonic milliseconds
 */
export function createRootKey(
  { key: first, file }: { readonly key: string; readonly file: string | undefined },
  { onUse, onFault }: RootKeyListener,
  clock = () => performance.now(),
) {
  let key = first;
  let hash = hashSecret(key);
  let readAt = clock();
  let reading: Promise<void> | undefined;
  let told: string | undefined;
  let fault: string | undefined;

  const read = async (path: string) => {
    const startedAt = clock();
    const found = await readIfPresent(path).catch(({ code }: NodeJS.ErrnoException) => ({ code }));
    readAt = startedAt;
    const text = typeof found === "string" ? found.trim() : undefined;
    const problem = typeof found === "object" ? `can't be read (${found.code})` : "has no valid key";
    const isValid = text !== undefined && isRootKey(text);
    if (!isValid && fault !== problem) onFault(`the file of the operator key, ${path}, ${problem}`);
    fault = isValid ? undefined : problem;
    if (!isValid || text === key) return;
    key = text;
    hash = hashSecret(key);
  };
  /** Reads the file again. Requests that ask at the same time share one read. */
  const refresh = () => {
    if (file === undefined) return undefined;
    reading ??= read(file).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const tell = async () => {
    if (told === key) return;
    const used = key;
    told = used;
    await onUse(used).catch(() => {
      told = undefined;
    });
  };

  return {
    /** Whether a candidate is the key. A new key is accepted at once. */
    async isKey(candidate: string): Promise<boolean> {
      const isStale = clock() > readAt + staleMilliseconds;
      if (isStale || !isSecret(candidate, [hash])) await refresh();
      void tell();
      return isSecret(candidate, [hash]);
    },
    /** Tells the listener about the first key. */
    start: tell,
  };
}
