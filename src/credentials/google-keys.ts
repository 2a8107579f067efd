/** The keys of service accounts, with which passes for Google Wallet are signed and sent. */
import { createPrivateKey } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";

export interface GoogleKey {
  readonly client_email: string;
  readonly private_key_id: string;
  /** In PEM. */
  readonly private_key: string;
}

/** Reads the file of a key, as Google makes it. @returns what is wrong with it, or the parts that are needed */
export function readGoogleKey(text: string): GoogleKey | string {
  const file = parsed(text);
  if (file === undefined) return "is not JSON. Send the whole file of the key, as Google made it";
  if (file.type !== "service_account")
    return "is not the key of a service account. Make a key of the type JSON for a service account of your Google Cloud project";
  const { client_email, private_key_id, private_key } = file;
  const isEmail = typeof client_email === "string" && /^[\w.+-]{1,100}@[\w.-]{1,150}$/.test(client_email);
  if (!isEmail || typeof private_key !== "string" || typeof private_key_id !== "string")
    return "lacks client_email, private_key_id or private_key. Send the whole file of the key";
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(private_key);
    const { modulusLength = 0 } = asymmetricKeyDetails ?? {};
    // A larger key would hold up the process with each signature.
    if (asymmetricKeyType !== "rsa" || modulusLength < 2048 || modulusLength > 4096)
      return "has a private key that is not RSA with 2048 to 4096 bits, as Google's are";
  } catch {
    return "has a private key that can't be read. Make another key";
  }
  return { client_email, private_key_id: private_key_id.slice(0, 100), private_key };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const sign = (claims: JWTPayload, { client_email, private_key_id, private_key }: GoogleKey, at: number) =>
  new SignJWT({ iss: client_email, iat: Math.floor(at / 1000), ...claims })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: private_key_id })
    .sign(createPrivateKey(private_key));

export const tokenAddress = "https://oauth2.googleapis.com/token";

/** Signs the request of an access token (RFC 7523), which is valid for an hour. @param at milliseconds since the epoch */
export const signTokenRequest = (key: GoogleKey, at: number) =>
  sign(
    {
      scope: "https://www.googleapis.com/auth/wallet_object.issuer",
      aud: tokenAddress,
      exp: Math.floor(at / 1000) + 3600,
    },
    key,
    at,
  );

/** Signs the address at which a person adds a pass. @param at milliseconds since the epoch */
export async function signSaveLink(loyaltyObject: object, key: GoogleKey, at: number): Promise<string> {
  const claims = {
    aud: "google",
    typ: "savetowallet",
    origins: [],
    payload: { loyaltyObjects: [loyaltyObject] },
  };
  return `https://pay.google.com/gp/v/save/${await sign(claims, key, at)}`;
}
