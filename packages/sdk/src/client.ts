/** The client of the partner API. */
import { Caller } from "./caller.ts";
import { Resources } from "./generated/resources.ts";
import { MembersByPhone } from "./members.ts";
import { checkedText } from "./settings.ts";
import { type IssuedToken, renewedBearer } from "./token.ts";
import {
  type BearerSource,
  createTransport,
  type Retry,
  type RetryOptions,
  type TransportOptions,
} from "./transport.ts";

interface CommonOptions extends RetryOptions {
  /** What comes before /sp: `https://loyalty.example.com/api`. */
  readonly baseUrl: string;
  /** Hears of every retry, before the wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Instead of the global fetch. */
  readonly fetch?: typeof fetch | undefined;
}

/** With the credentials of an integration, for servers: anyone who holds the secret acts as the integration. */
interface CredentialOptions extends CommonOptions {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** With access tokens from elsewhere, such as your own server for a page in a browser. */
interface TokenOptions extends CommonOptions {
  /** A token, or a function that gets one; it is called for each request, and once more if a token is rejected. */
  readonly accessToken: string | (() => string | Promise<string>);
}

export type LoyaltyOptions = CredentialOptions | TokenOptions;

/**
 * The partner API. Every operation is a method at its path: `/sp/members/profile/update` is
 * `client.members.profile.update(…)`.
 *
 * Writes that are given no `idempotency_key` get one, and every call is retried when the network or the
 * service fails, under the same key: it is done once. To be safe over crashes of your own program too, give a key
 * that you can make again, such as `receipt-000812`.
 */
export class LoyaltyClient extends Resources {
  override readonly members: MembersByPhone;

  /** @throws TypeError or RangeError if a setting is missing or makes no sense */
  constructor(options: LoyaltyOptions) {
    if (typeof options !== "object" || options === null) {
      throw new TypeError("LoyaltyClient needs its settings: { baseUrl, clientId, clientSecret }");
    }
    const { baseUrl, onRetry, maxRetries, timeoutMilliseconds } = options;
    const common = { baseUrl, onRetry, maxRetries, timeoutMilliseconds, fetch: options.fetch };
    const caller = new Caller(createTransport({ ...common, bearer: bearerOf(options, common) }));
    super(caller);
    this.members = new MembersByPhone(caller);
  }
}

function bearerOf(options: LoyaltyOptions, common: Omit<TransportOptions, "bearer">): string | BearerSource {
  if ("accessToken" in options) {
    const { accessToken } = options;
    const what = "the access token";
    if (typeof accessToken !== "function") return checkedText(what, accessToken);
    return { get: async () => checkedText(what, await accessToken()), refused: () => true };
  }
  const credentials = {
    client_id: checkedText("clientId", options.clientId),
    client_secret: checkedText("clientSecret", options.clientSecret),
  };
  const transport = createTransport({ ...common, bearer: "" });
  return renewedBearer(async () => {
    const issued = await transport.request<IssuedToken>("/sp/auth/token", credentials, { anonymous: true });
    return issued.data;
  });
}
