import { availableParallelism } from "node:os";
import { hash, type Options } from "@node-rs/argon2";

/** Argon2id with the parameters of the OWASP password storage cheat sheet: 19 MiB, two passes, one lane. */
// Argon2id is number 2 of the package's Algorithm, a const enum that isolated modules can't read.
const argon2id = 2 as NonNullable<Options["algorithm"]>;
const parameters: Options = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface Passwords {
  hash(password: string): Promise<string>;
}

/**
 * Hashes passwords on the runtime's thread pool.
 * @param atOnce how many hash at the same time. One less than there are cores: hashing then never takes
 *   the processor time that the requests beside it need, and memory stays bounded
 */
export function createPasswords(atOnce = Math.max(1, availableParallelism() - 1)): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async hash(password) {
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        // NFKC, so that the same password typed on two keyboards is the same (NIST SP 800-63B 3.1.1.2).
        return await hash(password.normalize("NFKC"), parameters);
      } finally {
        // A finished one hands its place on, so that none that comes now overtakes those waiting.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
