/** Sends passes to Google Wallet by its REST API: a class, which is what all passes of a business show, and an object for each pass. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type GoogleKey, signTokenRequest, tokenAddress } from "../credentials/google-keys.ts";
import type { DuePass, Told } from "../database/wallets/updates.ts";
import type { OpenWallet, WalletService } from "./pass-updates.ts";

const requestMilliseconds = 5000;
/** Google accepts 20 requests in a second of an issuer. */
const passesAtOnce = 20;
const requestsAtOnce = 5;
const mostSaid = 300;
const mostAnswerBytes = 64 * 1024;
/** A token is not used in its last seconds. */
const spareSeconds = 60;

/** Google's answer. Status 0: there was none. */
interface Answer {
  readonly status: number;
  /** What Google says about an error. */
  readonly said: string;
  readonly token?: string;
  readonly seconds?: number;
}

export interface GoogleParts {
  /** Where Google is: only tests have another place. */
  readonly url: string;
  readonly tokenUrl: string | undefined;
  readonly makeClass: (wallet: OpenWallet) => object;
  /** What a pass shows now. */
  readonly makeObject: (wallet: OpenWallet, pass: DuePass) => Promise<object>;
}

export function createGoogleObjects({
  url,
  tokenUrl = tokenAddress,
  makeClass,
  makeObject,
}: GoogleParts): WalletService {
  const stopping = new AbortController();
  /** By a digest of the key. A token is kept until it ends. */
  const tokens = new LRUCache<string, string>({ max: 1000 });

  const ask = async (address: string, request: RequestInit): Promise<Answer> => {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(requestMilliseconds)]);
    try {
      const reply = await fetch(address, { ...request, redirect: "error", signal });
      return { status: reply.status, ...answerIn(await startOf(reply)) };
    } catch {
      return { status: 0, said: "" };
    }
  };
  const tokenOf = async (key: GoogleKey): Promise<Answer> => {
    const known = tokens.get(nameOf(key));
    if (known !== undefined) return { status: 200, said: "", token: known };
    const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    const assertion = await signTokenRequest(key, Date.now());
    const answer = await ask(tokenUrl, {
      method: "POST",
      body: new URLSearchParams({ grant_type, assertion }),
    });
    const { token, seconds = 0 } = answer;
    if (token !== undefined && seconds > spareSeconds)
      tokens.set(nameOf(key), token, { ttl: (seconds - spareSeconds) * 1000 });
    return answer;
  };
  /** Stores a class or an object as a whole, so that nothing of before stays in it. */
  const put = async (kind: "loyaltyClass" | "loyaltyObject", id: string, content: object, token: string) => {
    const home = `${url}/walletobjects/v1/${kind}`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ id, ...content });
    const answer = await ask(`${home}/${encodeURIComponent(id)}`, { method: "PUT", headers, body });
    return answer.status === 404 ? ask(home, { method: "POST", headers, body }) : answer;
  };
  const putObjects = async (wallet: OpenWallet, due: readonly DuePass[], token: string) => {
    const told: DuePass[] = [];
    let problem: string | null = null;
    let isRefused = false;
    let fault: unknown;
    for (let first = 0; first < due.length; first += requestsAtOnce) {
      const some = due.slice(first, first + requestsAtOnce);
      const sent = await Promise.all(
        some.map(async (pass) => {
          const id = objectIdOf(wallet.issuer, pass.serial_number);
          // A member whose page can't be read now holds up no other.
          const object = await makeObject(wallet, pass).catch((error: unknown) => {
            fault = error;
          });
          return [pass, object && (await put("loyaltyObject", id, object, token))] as const;
        }),
      );
      told.push(...sent.flatMap(([pass, answer]) => (answer && isDone(answer) ? [pass] : [])));
      const refused = sent.flatMap(([, answer]) => (answer && !isDone(answer) ? [answer] : []));
      const failed = refused.find(mustWait) ?? refused[0];
      // What Google says about an object can have parts of it.
      if (failed !== undefined) problem ??= problemOf({ ...failed, said: "" }, wallet);
      if (failed?.status === 401) tokens.delete(nameOf(wallet.secret as GoogleKey));
      isRefused = failed !== undefined && mustWait(failed);
      if (isRefused) break;
    }
    return { told, problem, isRefused, fault };
  };
  return {
    passesAtOnce,
    async tell(wallet: OpenWallet, due: readonly DuePass[]): Promise<Told> {
      const none = { told: [], failed: serialsOf(due), deadTokens: [], isRefused: true, classShown: null };
      const { token, ...refused } = await tokenOf(wallet.secret as GoogleKey);
      if (token === undefined) return { ...none, problem: problemOf(refused, wallet, isKeyRefused(refused)) };
      const isClassDue = wallet.class_shown !== wallet.shown;
      if (isClassDue) {
        const { class_id } = wallet.secret as { readonly class_id: string };
        const answer = await put("loyaltyClass", class_id, makeClass(wallet), token);
        if (answer.status === 401) tokens.delete(nameOf(wallet.secret as GoogleKey));
        if (!isDone(answer)) return { ...none, problem: problemOf(answer, wallet) };
      }
      const sent = await putObjects(wallet, due, token);
      const failed = serialsOf(due.filter((pass) => !sent.told.includes(pass)));
      const classShown = isClassDue ? wallet.shown : null;
      return { ...sent, failed, deadTokens: [], classShown };
    },
    stop: () => stopping.abort(),
  };
}

const nameOf = ({ private_key }: GoogleKey) => createHash("sha256").update(private_key).digest("base64");

/** @param serial of a pass */
const objectIdOf = (issuer: string, serial: string) => `${issuer}.${serial}`;

/** Reads the start of a response. What is longer is no answer of Google, and not kept in memory. */
async function startOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > mostAnswerBytes) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

const serialsOf = (passes: readonly DuePass[]) => passes.map(({ serial_number }) => serial_number);
const isDone = ({ status }: Answer) => status >= 200 && status < 300;
/** Whether other passes would fail in the same way. */
const mustWait = ({ status }: Answer) => [0, 401, 403, 429].includes(status) || status >= 500;
const isKeyRefused = ({ status }: Answer) => status === 400 || status === 401;

function answerIn(text: string): Omit<Answer, "status"> {
  try {
    const { access_token, expires_in, error, error_description } = JSON.parse(text);
    const said = String(error_description ?? error?.message ?? "").replace(/[^\x20-\x7e]+/g, " ");
    const isToken = typeof access_token === "string" && Number.isFinite(expires_in);
    return { said: said.slice(0, mostSaid), ...(isToken && { token: access_token, seconds: expires_in }) };
  } catch {
    return { said: "" };
  }
}

function problemOf({ status, said }: Answer, { issuer, account }: OpenWallet, isKeyRefused = false): string {
  const words = said === "" ? "" : ` Google says: ${said}`;
  if (status === 0)
    return "Google did not respond. Check that the service may connect to googleapis.com, port 443.";
  if (isKeyRefused) return `Google does not accept the key. Make another key for ${account}.${words}`;
  if (status === 401 || status === 403)
    return `${account} may not use the issuer ${issuer}. Enable the Google Wallet API, and add the account in the Google Pay & Wallet Console.${words}`;
  if (status === 429) return "Google accepts no more requests for now.";
  if (status >= 500) return `Google has a problem (${status}).`;
  return `Google does not accept what passes show (${status}).${words}`;
}
