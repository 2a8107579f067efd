/** The cookies of the console: its session, and that a person has signed in with this browser before. */
import type { ServiceKeys } from "../../credentials/keys.ts";
import { sessionDays } from "../../domain/access/operators.ts";

/** Browsers accept the prefix only with `Secure` and from the host itself, so no other host can set the cookie. */
export const usual = { name: "__Host-loyalty_console", secure: "; Secure" };
/** Without TLS on this machine, for trials. Browsers reject a secure cookie there. */
const onLoopback = { name: "loyalty_console", secure: "" };

const deviceDays = 180;
const dayMilliseconds = 24 * 60 * 60 * 1000;

function cookie(suffix: string, value: string, days: number, isLoopback: boolean): string {
  const { name, secure } = isLoopback ? onLoopback : usual;
  const age = (days * dayMilliseconds) / 1000;
  return `${name}${suffix}=${value}; HttpOnly${secure}; SameSite=Strict; Path=/; Max-Age=${age}`;
}

/** @param token null ends the session @param isLoopback whether the browser uses HTTP on this machine */
export function sessionCookie(token: string | null, isLoopback: boolean): string {
  return cookie("", token ?? "", token === null ? 0 : sessionDays, isLoopback);
}

const placeOfDevice = (key: string) => `sign-in device ${key}`;

/** @param key of the name with which the person has signed in */
export function deviceCookie(keys: Pick<ServiceKeys, "seal">, key: string, isLoopback: boolean): string {
  const expiresAt = Date.now() + deviceDays * dayMilliseconds;
  return cookie("_device", keys.seal(String(expiresAt), placeOfDevice(key)), deviceDays, isLoopback);
}

/** Whether the browser with a cookie of a device has signed in with a name before. */
export function isKnownDevice(
  keys: Pick<ServiceKeys, "canUnseal" | "unseal">,
  device: string | undefined,
  key: string | undefined,
): boolean {
  if (device === undefined || key === undefined || !keys.canUnseal(device, placeOfDevice(key))) return false;
  return Number(keys.unseal(device, placeOfDevice(key))) > Date.now();
}

/** @returns the session in a Cookie header; undefined if there is none, or there are several */
export const sessionInCookies = (header: string | undefined, isLoopback: boolean) =>
  valueIn(header, "", isLoopback);

/** @returns the cookie of `deviceCookie` */
export const deviceInCookies = (header: string | undefined, isLoopback: boolean) =>
  valueIn(header, "_device", isLoopback);

function valueIn(header: string | undefined, suffix: string, isLoopback: boolean): string | undefined {
  const start = `${(isLoopback ? onLoopback : usual).name}${suffix}=`;
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}

interface Site {
  readonly secFetchSite: string | undefined;
  readonly origin: string | undefined;
}

/**
 * Whether a page of the service itself sent the request. A cookie of another request does not count, because the browser adds the
 * cookie by itself.
 * @param own the origin of the service, as the browser sees it
 */
export function isSameOrigin({ secFetchSite, origin }: Site, own: string | undefined): boolean {
  if (secFetchSite !== undefined) return secFetchSite === "same-origin";
  return origin !== undefined && origin.toLowerCase() === own;
}
