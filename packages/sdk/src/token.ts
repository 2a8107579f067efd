/** Keeps an access token: gets one for the first request, shares it, and renews it before it ends. */
import type { BearerSource } from "./transport.ts";
import { unlessAborted } from "./waiting.ts";

export interface IssuedToken {
  readonly access_token: string;
  /** Seconds of validity. */
  readonly expires_in: number;
}

/** A token is renewed when this much of its life is left, or a tenth of a shorter one. */
const renewalLeadMilliseconds = 300_000;

/**
 * A bearer that gets its tokens from the service. There is one request for a token at a time, however many calls
 * wait for it; and none waits as long as the token at hand is valid.
 * @param issue asks for a token
 */
export function renewedBearer(issue: () => Promise<IssuedToken>): BearerSource {
  let kept: { readonly token: string; readonly renewAt: number; readonly expiresAt: number } | undefined;
  let renewal: Promise<string> | undefined;

  const keep = async () => {
    // The token's life begins when the service makes it, which is not before now.
    const askedAt = Date.now();
    const { access_token: token, expires_in } = await issue();
    const lifetime = expires_in * 1000;
    const expiresAt = askedAt + lifetime;
    const renewAt = expiresAt - Math.min(renewalLeadMilliseconds, lifetime / 10);
    kept = { token, expiresAt, renewAt };
    return token;
  };
  const renew = () => {
    renewal ??= keep().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  return {
    async get(signal) {
      const now = Date.now();
      if (kept === undefined || kept.expiresAt <= now) return unlessAborted(renew(), signal);
      // If this fails, a later call tries again, at the latest when the token has ended.
      if (kept.renewAt <= now) renew().catch(() => undefined);
      return kept.token;
    },
    rejected(token) {
      if (kept?.token === token) kept = undefined;
      return true;
    },
  };
}
