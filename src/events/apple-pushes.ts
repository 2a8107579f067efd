/** Tells phones by Apple's push service (APNs) that passes have changed. A push has no content: the phone then asks for the pass. */
import { type ClientHttp2Session, connect } from "node:http2";
import type { PassCertificate } from "../credentials/pass-certificates.ts";
import type { DuePass, Told } from "../database/wallets/updates.ts";
import type { OpenWallet, WalletService } from "./pass-updates.ts";

/** dead: no phone has the token any more. failed: the push service did not accept the push this time. */
type PushResult = "told" | "dead" | "failed";

/** What became of a push, and why it failed. */
interface Pushed {
  readonly result: PushResult;
  readonly problem?: string;
}

const requestMilliseconds = 5000;
/** Apple takes clients that connect and disconnect quickly for attackers. */
const idleMilliseconds = 300_000;
const mostResponseBytes = 2000;
const atOnce = 100;
const deadReasons = /"(?:BadDeviceToken|DeviceTokenNotForTopic|Unregistered|ExpiredToken)"/;

/** @param url of the push service */
export function createApplePushes(url: string): WalletService {
  /** The connections, by the certificate with which each was opened. */
  const sessions = new Map<string, ClientHttp2Session>();
  let stopped = false;

  const sessionOf = ({ certificate, key }: PassCertificate): ClientHttp2Session => {
    const open = sessions.get(certificate);
    if (open !== undefined && !open.closed && !open.destroyed) return open;
    const session = connect(url, { cert: certificate, key });
    const forget = () => sessions.get(certificate) === session && sessions.delete(certificate);
    // Its requests fail with it.
    session.on("error", forget).on("close", forget);
    session.setTimeout(idleMilliseconds, () => session.close());
    session.unref();
    sessions.set(certificate, session);
    return session;
  };
  const push = (session: ClientHttp2Session, topic: string, token: string) =>
    new Promise<Pushed>((resolve) => {
      if (stopped || session.destroyed || session.closed)
        return resolve({ result: "failed", problem: problemOf(0, "") });
      const request = session.request({
        ":method": "POST",
        ":path": `/3/device/${token}`,
        "apns-topic": topic,
      });
      let status = 0;
      let body = "";
      request.on("response", (headers) => {
        status = Number(headers[":status"]);
      });
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
        if (body.length > mostResponseBytes) request.destroy();
      });
      // A request that is destroyed has the status that had arrived.
      request
        .on("error", () => undefined)
        .on("close", () => {
          clearTimeout(late);
          if (status === 200) resolve({ result: "told" });
          else if (status === 410 || (status === 400 && deadReasons.test(body))) resolve({ result: "dead" });
          else resolve({ result: "failed", problem: problemOf(status, body) });
        });
      const late = setTimeout(() => {
        request.destroy();
        // A connection on which nothing arrives is opened again.
        session.destroy();
      }, requestMilliseconds).unref();
      request.end("{}");
    });
  const send = async (certificate: PassCertificate, topic: string, tokens: readonly string[]) => {
    const results = new Map<string, Pushed>();
    for (let first = 0; first < tokens.length && !stopped; first += atOnce) {
      const some = tokens.slice(first, first + atOnce);
      const sent = await Promise.all(
        some.map(async (token) => [token, await push(sessionOf(certificate), topic, token)] as const),
      );
      for (const [token, result] of sent) results.set(token, result);
      // A push service that accepts nothing is not asked for the rest.
      if (sent.every(([, { result }]) => result === "failed")) break;
    }
    return results;
  };
  return {
    passesAtOnce: 100,
    async tell({ secret, issuer }: OpenWallet, due: readonly DuePass[]): Promise<Told> {
      const tokens = [...new Set(due.flatMap(({ push_tokens }) => push_tokens))];
      return outcomeOf(due, tokens, await send(secret as PassCertificate, issuer, tokens));
    },
    stop(): void {
      stopped = true;
      for (const session of sessions.values()) session.destroy();
    },
  };
}

/** A pass of which some phones were told is told to the others when its pause is over, and then to all. */
function outcomeOf(
  due: readonly DuePass[],
  tokens: readonly string[],
  results: ReadonlyMap<string, Pushed>,
): Told {
  const resultOf = (token: string) => results.get(token)?.result ?? "failed";
  const has = ({ push_tokens }: DuePass, result: PushResult) =>
    push_tokens.some((token) => resultOf(token) === result);
  const isRefused = tokens.length > 0 && tokens.every((token) => resultOf(token) === "failed");
  return {
    told: due.filter((pass) => !has(pass, "failed")),
    failed: due
      .filter((pass) => has(pass, "failed") && !has(pass, "told"))
      .map(({ serial_number }) => serial_number),
    deadTokens: tokens.filter((token) => resultOf(token) === "dead"),
    problem: isRefused ? ([...results.values()][0]?.problem ?? problemOf(0, "")) : null,
    isRefused,
    classShown: null,
  };
}

/** @param status of Apple's response; 0: there was none */
function problemOf(status: number, body: string): string {
  const reason = /"reason" *: *"(\w{1,50})"/.exec(body)?.[1];
  const words = reason === undefined ? "" : ` Apple says: ${reason}`;
  if (status === 0)
    return "Apple did not respond. Check that the service may connect to api.push.apple.com, port 443.";
  if (status === 403) return `Apple does not accept the certificate. Make another one.${words}`;
  if (status === 429) return "Apple accepts no more pushes for now.";
  if (status >= 500) return `Apple's push service has a problem (${status}).`;
  return `Apple does not accept pushes (${status}).${words}`;
}
