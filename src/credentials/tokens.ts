import { createSecretKey } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";

/** Of an access token. */
export interface TokenClaims {
  readonly integrationId: number;
  readonly businessId: number;
  readonly scopes: readonly string[];
  /** The integration's generation when the token was issued. A new generation ends all earlier tokens. */
  readonly generation: number;
}

/** Seconds for which an access token is valid. */
export const tokenLifetimeSeconds = 7200;

const issuer = "loyalty";
const audience = "partner";
const algorithm = "HS256";
/** How many verified tokens are remembered, so that the signature of a token is not checked for each request. */
const rememberedTokens = 10_000;

export interface VerifiedToken extends Omit<TokenClaims, "scopes"> {
  readonly scopes: ReadonlySet<string>;
  /** Milliseconds. */
  readonly expiresAt: number;
}

export type Tokens = ReturnType<typeof createTokens>;

/** Access tokens (JWT, RFC 7519). Only this algorithm, issuer and audience are accepted. @param secret 256 bits */
export function createTokens(secret: Uint8Array, clock: () => number) {
  // If it got bytes, the library would make a key object for each token.
  const key = createSecretKey(secret);
  const remembered = new LRUCache<string, VerifiedToken>({ max: rememberedTokens });

  const verifySignature = async (token: string): Promise<VerifiedToken | undefined> => {
    const verified = await jwtVerify(token, key, {
      algorithms: [algorithm],
      issuer,
      audience,
      currentDate: new Date(clock()),
      requiredClaims: ["sub", "exp", "iat", "business", "scope", "generation"],
    }).catch(() => undefined);
    if (verified === undefined) return undefined;
    const { sub, exp, business, scope, generation } = verified.payload;
    const claims = {
      integrationId: Number(sub),
      businessId: Number(business),
      scopes: new Set(String(scope).split(" ")),
      generation: Number(generation),
      expiresAt: Number(exp) * 1000,
    };
    remembered.set(token, claims);
    return claims;
  };

  return {
    /** The integration of a token that was issued, also if it has expired since. @returns undefined for any other text */
    async holderOf(token: string): Promise<number | undefined> {
      const known = remembered.get(token);
      if (known !== undefined) return known.integrationId;
      const rules = { algorithms: [algorithm], issuer, audience, currentDate: new Date(0) };
      const verified = await jwtVerify(token, key, rules).catch(() => undefined);
      return verified === undefined ? undefined : Number(verified.payload.sub);
    },
    /** Signs a token. @param expiresAt in seconds since the epoch */
    issue(
      { integrationId, businessId, scopes, generation }: TokenClaims,
      expiresAt: number,
    ): Promise<string> {
      return new SignJWT({ business: businessId, scope: scopes.join(" "), generation })
        .setProtectedHeader({ alg: algorithm, typ: "JWT" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(String(integrationId))
        .setIssuedAt(expiresAt - tokenLifetimeSeconds)
        .setExpirationTime(expiresAt)
        .sign(key);
    },
    /** @returns undefined for a token that is forged, malformed or expired */
    verify(token: string): Promise<VerifiedToken | undefined> | VerifiedToken | undefined {
      const known = remembered.get(token);
      if (known === undefined) return verifySignature(token);
      if (known.expiresAt > clock()) return known;
      remembered.delete(token);
      return undefined;
    },
  };
}
