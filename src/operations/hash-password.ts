import { Refusal } from "../contract/errors.ts";
import type { Services } from "../contract/services.ts";

/** By when half of those that wait have been hashed, on a small machine. */
const retryAfterSeconds = 5;

/** Hashes a member's password, or turns it away while too many wait. */
export async function hashPassword(
  { passwords }: Services,
  password: string,
): Promise<string | Refusal<"service_unavailable">> {
  return (await passwords.hash(password)) ?? new Refusal("service_unavailable", {}, retryAfterSeconds);
}
