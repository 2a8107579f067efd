/** The client of the partner API. */
import { Caller } from "./caller.ts";
import { Clock } from "./clock.ts";
import { type FieldError, NotFoundError, ValidationError } from "./errors.ts";
import { Members, Resources, Sandbox } from "./generated/resources.ts";
import type { MembersFindData } from "./generated/types.ts";
import { checkedText } from "./settings.ts";
import { type IssuedToken, renewedBearer } from "./token.ts";
import { type BearerSource, type CallOptions, createTransport, type TransportOptions } from "./transport.ts";

/** Where the service is, and how requests are sent and retried. */
type CommonOptions = Omit<TransportOptions, "bearer" | "headers">;

/** With the credentials of an integration, for servers: anyone who holds the secret acts as the integration. */
interface CredentialOptions extends CommonOptions {
  readonly clientId: string;
  /** The secret, or a function that gets it. It is called for each token, so that a program needs no restart for a new secret. */
  readonly clientSecret: string | (() => string | Promise<string>);
}

/** With access tokens from elsewhere, such as another part of your own server. */
interface TokenOptions extends CommonOptions {
  /** A token, or a function that gets one; it is called for each request, and once more if a token is rejected. */
  readonly accessToken: string | (() => string | Promise<string>);
}

export type LoyaltyOptions = CredentialOptions | TokenOptions;

const isNoNumber = ({ field, code }: FieldError) => field === "phone_number" && notNumbers.has(code);
/** A text from a form may also be empty or too long. */
const notNumbers = new Set(["invalid_format", "too_short", "too_long"]);

/** Members, with a look-up for tills on top of the operations. */
export class MembersByPhone extends Members {
  /**
   * Finds a member by its whole phone number, however it is written: `+34 600 111-222`, `0034600111222`; if the business
   * has a country, also in national form: `600 111 222`.
   * @returns undefined when no member has it, also because the text is no phone number
   * @throws ValidationError for a number without its country code, if the business has no country
   */
  async findByPhone(phoneNumber: string, options?: CallOptions): Promise<MembersFindData | undefined> {
    try {
      return await this.find({ phone_number: phoneNumber }, options);
    } catch (error) {
      if (error instanceof NotFoundError && error.is("member_not_found")) return undefined;
      if (error instanceof ValidationError && error.errors.every(isNoNumber)) return undefined;
      throw error;
    }
  }
}

/**
 * The partner API. Every operation is a method at its path: `/sp/members/profile/update` is
 * `client.members.profile.update(…)`.
 *
 * Writes that are given no `idempotency_key` get one, and every call is retried when the network or the
 * service fails, under the same key: it is done once. To be safe over crashes of your own program too, give a key
 * that you can make again (`saleKey`).
 */
export class LoyaltyClient extends Resources {
  override readonly members: MembersByPhone;
  override readonly sandbox: Sandbox & { readonly clock: Clock };

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
    this.sandbox = Object.assign(new Sandbox(caller), { clock: new Clock(caller) });
  }
}

function bearerOf(options: LoyaltyOptions, common: CommonOptions): string | BearerSource {
  if ("accessToken" in options) {
    const { accessToken } = options;
    const what = "the access token";
    if (typeof accessToken !== "function") return checkedText(what, accessToken);
    return { get: async () => checkedText(what, await accessToken()), rejected: () => true };
  }
  const client_id = checkedText("clientId", options.clientId);
  const { clientSecret } = options;
  if (typeof clientSecret !== "function") checkedText("clientSecret", clientSecret);
  const transport = createTransport({ ...common, bearer: "" });
  return renewedBearer(async () => {
    const secret = typeof clientSecret === "function" ? await clientSecret() : clientSecret;
    const credentials = { client_id, client_secret: checkedText("clientSecret", secret) };
    const issued = await transport.request<IssuedToken>("/sp/auth/token", credentials, { anonymous: true });
    return issued.data;
  });
}
