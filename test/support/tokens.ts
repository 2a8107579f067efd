import { deriveKeys } from "../../src/credentials/keys.ts";
import { createTokens, type TokenClaims } from "../../src/credentials/tokens.ts";
import { testSecret } from "./world.ts";

/**
 * Signs an access token that says anything at all.
 * @param secret other than the service's: a forged one
 * @param issuedAt milliseconds
 */
export async function signToken(
  claims: TokenClaims,
  { secret = testSecret, issuedAt = Date.now() }: { secret?: string; issuedAt?: number } = {},
): Promise<string> {
  const { token } = await createTokens(deriveKeys(secret).tokenSigning, () => issuedAt).issue(claims);
  return token;
}
