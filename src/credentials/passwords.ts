import { createRequire } from "node:module";
import type { Options } from "@node-rs/argon2";
import { FairQueue } from "../domain/fair-queue.ts";

/** Argon2id with the parameters of the OWASP password storage cheat sheet: 19 MiB, two passes, one lane. */
// Argon2id is number 2 of the package's Algorithm, a const enum that isolated modules can't read.
const argon2id = 2 as NonNullable<Options["algorithm"]>;
const parameters: Options = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export type Passwords = ReturnType<typeof createPasswords>;

/** How many threads the runtime has for work off the event loop. */
const poolThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/**
 * How many passwords a process hashes at the same time. One less than the cores that it has, so that hashing never takes
 * the processor time of requests; and two less than the threads in the pool, which also verify tokens and read files.
 */
export function hashesAtOnce(cores: number, workers: number, threads = poolThreads): number {
  return Math.max(1, Math.floor(Math.min(cores / workers - 1, threads - 2)));
}

/**
 * How many passwords of one owner wait for each that is hashed; of all owners together twice as many. One takes 20 to 40
 * ms, so the last one waits some seconds. A longer wait would end at the time limit of its request.
 */
const waitingForEach = 100;
/** By when half of those have been hashed, on a small machine. */
const retryAfterSeconds = 5;

/**
 * Hashes passwords on the runtime's thread pool.
 * @param atOnce how many are hashed at the same time, which bounds memory too
 * @param mostWaiting how many of one owner may wait
 */
export function createPasswords(atOnce: number, mostWaiting = atOnce * waitingForEach) {
  const queue = new FairQueue({ atOnce, mostWaiting, mostInAll: 2 * mostWaiting, retryAfterSeconds });
  return {
    /**
     * @param owner who has it hashed; owners take turns
     * @throws OverloadedError, at once, when too many of the owner's wait already
     */
    hash: (owner: number, password: string): Promise<string> =>
      queue.run(owner, async () => {
        // Loading it takes 30 ms, which the command line would wait for at each start.
        const { hash } = await import("@node-rs/argon2");
        // NFKC, so that the same password typed on two keyboards is the same (NIST SP 800-63B 3.1.1.2).
        return hash(password.normalize("NFKC"), parameters);
      }),
  };
}

let common: ReadonlySet<string> | undefined;

/**
 * Whether a password is one of the most used (NIST SP 800-63B 3.1.1.2), in any case. It is compared in the form in
 * which it would be hashed. The list is read at the first use: most processes never need it.
 */
export function isCommonPassword(password: string): boolean {
  common ??= readCommonPasswords();
  return common.has(password.normalize("NFKC").toLowerCase());
}

function readCommonPasswords(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)("@zxcvbn-ts/language-common") as {
    dictionary: Record<string, string[]>;
  };
  return new Set(dictionary["passwords-common"]);
}
