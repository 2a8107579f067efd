import type { Sql } from "postgres";
import type { TokenClaims } from "../domain/access.ts";

/** What operations use besides the database; made once at start. */
export interface Services {
  readonly passwords: {
    /** Hashes a password, off the event loop; at most a bounded number run at once, the rest wait. */
    hash(password: string): Promise<string>;
  };
  readonly tokens: {
    /** Signs an access token. @returns the token and the instant it expires, in milliseconds */
    issue(claims: TokenClaims): Promise<{ token: string; expiresAt: number }>;
  };
  /** For reads of the records that lead to the caller; operations with a caller get theirs in context. */
  readonly sql: Sql;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}
