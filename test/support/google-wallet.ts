/** A server that speaks the protocol of Google Wallet: tokens for service accounts, loyalty classes and loyalty objects. */
import { createVerify, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { freePort } from "./service-process.ts";

export const exampleIssuer = "3388000000022112345";
export const exampleAccount = "passes@example-shop.iam.gserviceaccount.com";

function newKeys(bits = 2048) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: bits });
  return { publicKey, pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

let made: ReturnType<typeof newKeys> | undefined;
/** The key of the example. */
function ownKeys() {
  made ??= newKeys();
  return made;
}

/** The file of a service account's key, as Google makes it. */
export const keyFile = (more: object = {}, bits?: number) => ({
  ...{ type: "service_account", project_id: "example-shop", private_key_id: "0f8fad5b" },
  ...{ private_key: bits === undefined ? ownKeys().pem : newKeys(bits).pem, client_email: exampleAccount },
  // Where a hostile file would lead the service.
  token_uri: "http://127.0.0.1:1/token",
  ...more,
});

export const googleSetUp = (file: object = keyFile()) => ({
  ...{ service_account_key: JSON.stringify(file), issuer_id: exampleIssuer },
  pass_logo_url: "https://www.example.com/logo.png",
});

/**
 * Reads a JWT whose signature is checked by RFC 7515, without the library that made it.
 * @returns undefined when the key of the example did not sign it
 */
// biome-ignore lint/suspicious/noExplicitAny: tests look at claims of every shape
export function readJwt(jwt: string): any {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const isSigned = createVerify("RSA-SHA256")
    .update(`${header}.${claims}`)
    .verify(ownKeys().publicKey, Buffer.from(signature, "base64url"));
  if (!isSigned || decoded(header).alg !== "RS256") return undefined;
  return { header: decoded(header), ...decoded(claims) };
}

/** Answers of errors, by what is asked: a token, a class or an object. */
type Fault = { readonly status: number; readonly message?: string; readonly onlyOf?: string } | "nothing";
export type GooglePart = "token" | "loyaltyClass" | "loyaltyObject";

interface Asked {
  readonly method: string;
  readonly part: GooglePart;
  readonly id: string;
}

const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export class GoogleWallet {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at content of every shape
  readonly stored = new Map<string, any>();
  readonly asked: Asked[] = [];
  readonly faults: Partial<Record<GooglePart, Fault>> = {};
  /** Whether an object appears between a request that doesn't find it and the one that adds it, as when a person saves it. */
  raced = false;
  port = 0;
  #server: Server | undefined;
  #tokens = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens, on the same port as before. */
  async start(): Promise<void> {
    const server = createServer((message, response) => {
      void this.#respond(message, response);
    });
    this.port ||= await freePort();
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  /** The requests that store an object. */
  count(id: string): number {
    return this.asked.filter((one) => one.id === id && one.method === "PUT").length;
  }

  async #respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const part of message.setEncoding("utf8")) text += part;
    const { method = "", url = "" } = message;
    const [, kind, named = ""] =
      /^\/walletobjects\/v1\/(loyaltyClass|loyaltyObject)(?:\/(.+))?$/.exec(url) ?? [];
    const part = (kind ?? "token") as GooglePart;
    const content = kind === undefined ? {} : JSON.parse(text);
    const id = kind === undefined ? "" : decodeURIComponent(named) || content.id;
    this.asked.push({ method, part, id });
    const set = this.faults[part];
    if (set === "nothing") return;
    const fault = set?.onlyOf === undefined || set.onlyOf === id ? set : undefined;
    const [status, body] =
      fault !== undefined
        ? [fault.status, { error: { code: fault.status, message: fault.message ?? "a fault" } }]
        : kind === undefined
          ? this.#token(text)
          : this.#store(message, { method, part, id }, content);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #token(form: string): [number, object] {
    const { grant_type, assertion = "" } = Object.fromEntries(new URLSearchParams(form));
    const claims = readJwt(assertion);
    const isValid =
      grant_type === grantType &&
      claims?.iss === exampleAccount &&
      claims.aud === "https://oauth2.googleapis.com/token" &&
      claims.scope === "https://www.googleapis.com/auth/wallet_object.issuer" &&
      claims.exp - claims.iat <= 3600;
    if (!isValid) return [400, { error: "invalid_grant", error_description: "Invalid JWT Signature." }];
    this.#tokens += 1;
    return [200, { access_token: `token-${this.#tokens}`, expires_in: 3599, token_type: "Bearer" }];
  }

  #store(
    { headers }: IncomingMessage,
    { method, part, id }: Asked,
    content: { id?: string; classId?: string },
  ): [number, object] {
    const errorOf = (code: number, message: string): [number, object] => [code, { error: { code, message } }];
    if (!/^Bearer token-\d+$/.test(headers.authorization ?? "")) return errorOf(401, "Invalid Credentials");
    if (!id.startsWith(`${exampleIssuer}.`)) return errorOf(403, `Permission denied for ${id}`);
    if (content.id !== id || !/^\d+\.[\w.-]+$/.test(id)) return errorOf(400, "Invalid resource ID");
    const isClassMissing = part === "loyaltyObject" && !this.stored.has(String(content.classId));
    if (isClassMissing) return errorOf(404, "class not found");
    const exists = this.stored.has(id);
    if (method === "PUT" && !exists) {
      if (this.raced) this.stored.set(id, content);
      return errorOf(404, "not found");
    }
    if (method === "POST" && exists) return errorOf(409, "existing resource");
    this.stored.set(id, content);
    return [200, content];
  }
}
