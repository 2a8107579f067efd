import { createRequire } from "node:module";
import type { Options } from "@node-rs/argon2";
import { FairQueue } from "../domain/fair-queue.ts";

/** Argon2id in the package's Algorithm, a const enum that isolated modules can't read. */
const argon2id = 2 as NonNullable<Options["algorithm"]>;
/** Those of the OWASP password storage cheat sheet: 19 MiB, two passes, one lane. */
const parameters: Options = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The hash of a random password with these parameters, for an unknown name. */
const nobodysPassword =
  "$argon2id$v=19$m=19456,t=2,p=1$byhlxrm3HhHyEqwaB1EsuA$tjQE4tpHXKG3rrqWrHRrEzC5vzwRQwmhPZ0Lpabg+o0";

export type Passwords = ReturnType<typeof createPasswords>;

/** How many threads the runtime has for work off the event loop. */
const poolThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/**
 * How many passwords a process hashes at the same time: one less than its cores, so that requests have a core, and two less than
 * the threads in the pool, which also verify tokens and read files.
 */
export function hashesAtOnce(cores: number, workers: number, threads = poolThreads): number {
  return Math.max(1, Math.floor(Math.min(cores / workers - 1, threads - 2)));
}

/**
 * How many passwords of one owner wait for each one that is hashed. Twice as many wait of all owners together. A hash takes 20 to
 * 40 ms, so the last one waits some seconds, which is within the time limit of its request.
 */
const waitingForEach = 100;
/** The time in which a small machine hashes half of them. */
const retryAfterSeconds = 5;

/**
 * Hashes passwords on the runtime's thread pool.
 * @param atOnce how many are hashed at the same time, which bounds memory too
 * @param mostWaiting how many of one owner may wait
 */
export function createPasswords(atOnce: number, mostWaiting = atOnce * waitingForEach) {
  const queue = new FairQueue({ atOnce, mostWaiting, mostInAll: 2 * mostWaiting, retryAfterSeconds });
  return {
    /** @param owner owners take turns @throws OverloadedError at once when too many passwords of the owner wait */
    hash: (owner: number | string, password: string): Promise<string> =>
      queue.run(owner, async () => {
        // Loading it takes 30 ms, which the command line would wait for at each start.
        const { hash } = await import("@node-rs/argon2");
        // NFKC, so that the same password typed on two keyboards is the same (NIST SP 800-63B 3.1.1.2).
        return hash(password.normalize("NFKC"), parameters);
      }),
    /**
     * Whether a password has a hash. Without a hash, it takes as long, and is false.
     * @throws OverloadedError as `hash`
     */
    verify: (owner: number | string, hash: string | undefined, password: string): Promise<boolean> =>
      queue.run(owner, async () => {
        const { verify } = await import("@node-rs/argon2");
        const matches = await verify(hash ?? nobodysPassword, password.normalize("NFKC"));
        return matches && hash !== undefined;
      }),
  };
}

let common: ReadonlySet<string> | undefined;

/**
 * Whether a password is one of the most used (NIST SP 800-63B 3.1.1.2), in any case. It is compared in the form in which it would
 * be hashed. The list is read at the first use, because most processes never need it.
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
