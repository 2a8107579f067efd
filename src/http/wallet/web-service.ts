/**
 * The service that phones with Apple Wallet ask about passes, as Apple specifies it (PassKit Web Service Reference), at
 * `{base}/wallet/apple/{business_id}/v1/`. Nothing here is logged: paths and headers have numbers and tokens of passes.
 */
import type { AuthorizedPass, WalletPasses } from "../../contract/wallet-passes.ts";
import type { FindPage, Page, Reply, Sent } from "../server.ts";
import { laterReply } from "./google-pass.ts";
import { makePass } from "./pass.ts";

const mostBytes = 2048;
const passContent = { "content-type": "application/vnd.apple.pkpass" };

const reply = (status: number, body: object | "" = ""): Reply => ({
  status,
  headers: {},
  body: body === "" ? "" : JSON.stringify(body),
});
const unauthorized = reply(401);

/** Where the phones that have a pass reach the service. */
const webServiceAt = (origin: string, basePath: string, businessId: number) =>
  `${origin}${basePath}/wallet/apple/${businessId}`;

/** Whether phones can reach the service at an address: by https, or by HTTP on the same machine, for trials. */
export const isReachable = (origin: string | undefined): origin is string =>
  /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|$))/.test(origin ?? "");

type Answer = (sent: Sent, origin: string | undefined) => Promise<Reply | undefined>;

/** Finds what answers a request of a phone. */
export function walletServiceAt(basePath: string, passes: WalletPasses): FindPage {
  const home = `${basePath}/wallet/apple/`;
  return (path, _accept, method) => {
    if (!path.startsWith(home)) return undefined;
    const [business = "", version, ...rest] = path.slice(home.length).split("/");
    if (!/^[1-9]\d{0,14}$/.test(business) || version !== "v1") return undefined;
    const businessId = Number(business);
    const answer = answerTo(method, rest, { passes, basePath, businessId });
    return answer && whereSetUp(answer, passes, businessId);
  };
}

/** Without a certificate, nothing is there. */
function whereSetUp(answer: Answer, { accepts }: WalletPasses, businessId: number): Page {
  return async (_, origin, sent) => {
    const accepted = await accepts(businessId);
    if (accepted === true) return answer(sent, origin);
    return accepted === false ? undefined : laterReply;
  };
}

interface Place {
  readonly passes: WalletPasses;
  readonly basePath: string;
  readonly businessId: number;
}

function answerTo(method: string, rest: readonly string[], place: Place): Answer | undefined {
  const [kind, first = "", , passType = "", serial = ""] = rest;
  if (method === "POST" && kind === "log" && rest.length === 1) {
    // What phones report can name passes, and anyone can send it, so it is not kept.
    return async () => reply(200);
  }
  if (method === "GET" && kind === "passes" && rest.length === 3)
    return latestPass(place, first, rest[2] as string);
  if (kind !== "devices" || rest[2] !== "registrations") return undefined;
  if (method === "GET" && rest.length === 4) return changedPasses(place, first, passType);
  if (rest.length !== 5) return undefined;
  if (method === "POST") return registration(place, first, passType, serial);
  if (method !== "DELETE") return undefined;
  return authorized(place, passType, serial, async (pass) => {
    await pass.unregister(first);
    return reply(200);
  });
}

function authorized(
  { passes, businessId }: Place,
  passType: string,
  serial: string,
  answer: (pass: AuthorizedPass, sent: Sent, origin: string | undefined) => Promise<Reply | undefined>,
): Answer {
  return async (sent, origin) => {
    const token = /^ApplePass ([\w-]{1,100})$/.exec(sent.authorization ?? "")?.[1] ?? "";
    const pass = await passes.authorize({ businessId, passType, serial }, token);
    return pass === undefined ? unauthorized : answer(pass, sent, origin);
  };
}

const registration = (place: Place, device: string, passType: string, serial: string) =>
  authorized(place, passType, serial, async (pass, { readBody }) => {
    const pushToken = pushTokenIn(await readBody(mostBytes));
    if (pushToken === undefined || device.length > 200) return reply(400);
    const isNew = await pass.register(device, pushToken);
    if (isNew === undefined) return laterReply;
    return reply(isNew ? 201 : 200);
  });

function pushTokenIn(body: Buffer | string): string | undefined {
  try {
    const { pushToken } = JSON.parse(body.toString()) as { pushToken?: unknown };
    return typeof pushToken === "string" && /^[0-9a-f]{8,200}$/i.test(pushToken) ? pushToken : undefined;
  } catch {
    return undefined;
  }
}

function changedPasses({ passes, businessId }: Place, device: string, passType: string): Answer {
  return async ({ query }) => {
    const since = new URLSearchParams(query).get("passesUpdatedSince") ?? undefined;
    if (since !== undefined && !/^\d{1,17}$/.test(since)) return reply(400);
    const { serials, tag } = await passes.changedSince({ businessId, passType }, device, since);
    return serials.length === 0 ? reply(204) : reply(200, { lastUpdated: tag, serialNumbers: serials });
  };
}

const latestPass = (place: Place, passType: string, serial: string) =>
  authorized(place, passType, serial, async (pass, { ifModifiedSince }, origin) => {
    const parts = await pass.read();
    if (parts === undefined || !isReachable(origin)) return undefined;
    const { file, madeAt } = await makePass(parts, webServiceAt(origin, place.basePath, place.businessId));
    // The phone has this very pass: another process or an earlier content has another time.
    if (Date.parse(ifModifiedSince ?? "") === madeAt * 1000) return reply(304);
    return {
      status: 200,
      headers: { ...passContent, "last-modified": new Date(madeAt * 1000).toUTCString() },
      body: file,
    };
  });

/** The pass of the member of a page. @returns undefined when there is none */
export async function downloadPass(
  passes: WalletPasses,
  pageToken: string,
  basePath: string,
  origin: string | undefined,
): Promise<Reply | undefined> {
  if (!isReachable(origin)) return undefined;
  const parts = await passes.ofPage(pageToken);
  if (parts === undefined || parts === "moving") return parts && laterReply;
  const { file } = await makePass(parts, webServiceAt(origin, basePath, parts.businessId));
  return {
    status: 200,
    headers: { ...passContent, "content-disposition": 'attachment; filename="card.pkpass"' },
    body: file,
  };
}
