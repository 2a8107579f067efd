/** The parts of a process that requests need. */
import type { Rejection } from "../contract/errors.ts";
import type { Services } from "../contract/services.ts";
import type { Body } from "../contract/validation.ts";
import type { ServiceKeys } from "../credentials/keys.ts";
import type { DatabasePools } from "../database/pools.ts";
import type { Authenticate } from "./access/authentication.ts";
import type { CredentialEvents } from "./access/credential-events.ts";
import type { CheckBody } from "./body.ts";
import type { RateLimiter } from "./limits.ts";
import type { PostingQueue } from "./postings/posting-queue.ts";

export interface PipelineParts {
  readonly pools: Pick<DatabasePools, "sql" | "lookUps" | "longRunning">;
  readonly services: Omit<Services, "lookUps" | "longRunning">;
  readonly keys: ServiceKeys;
  readonly partnerAuthentication: Authenticate;
  readonly operatorAuthentication: Authenticate;
  readonly postings: PostingQueue;
  /** By integration. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Counts failed token requests and wrong operator keys. */
  readonly failedCredentials: RateLimiter | undefined;
  /** Counts wrong passwords by network. It has a higher limit, above which no password is verified. */
  readonly wrongPasswords: RateLimiter | undefined;
  readonly checkBody: CheckBody;
  /** Called after an operator's write, because cached rights may be out of date. */
  readonly operatorWrote: () => void;
  /** Called after a sign-in or a sign-out, because cached sessions may be out of date. */
  readonly sessionChanged: () => void;
  /** Events of a business were committed. */
  readonly eventsRecorded: (businessId: number) => void;
  /** Writes the use of credentials to the audit log. */
  readonly credentialEvents: CredentialEvents;
  /** Called for each failure that is not the caller's. */
  readonly reportFault: (requestId: string, error: unknown) => void;
}

export type ReadBody = () => Body | Rejection | Promise<Body | Rejection>;
